import type { Database } from '#src/infra/postgres/database.ts';

/** How many of each kind are found at most, the newest. */
export const maxCaused = 100;

const foundIn = {
  runs: 'SELECT id FROM runs WHERE tenant_id = $1 AND request_id = $2',
  orders: 'SELECT DISTINCT order_id AS id FROM order_changes WHERE tenant_id = $1 AND request_id = $2',
  deliveries: `SELECT d.id FROM webhook_payloads p JOIN webhook_deliveries d ON d.tenant_id = p.tenant_id AND d.payload_id = p.id
    WHERE p.tenant_id = $1 AND p.request_id = $2`,
} as const;

/** The ids of what a request has caused, newest first. */
export async function findCaused(
  { tenantQuery }: Pick<Database, 'tenantQuery'>,
  tenantId: string,
  kind: keyof typeof foundIn,
  requestId: string,
): Promise<number[]> {
  const rows = await tenantQuery<{ id: number }>(tenantId, {
    name: `${kind}-of-request`,
    text: `${foundIn[kind]} ORDER BY id DESC LIMIT ${maxCaused}`,
    values: [tenantId, requestId],
  });
  return rows.map(({ id }) => id);
}
