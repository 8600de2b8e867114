import type { Database } from '#src/infra/postgres/database.ts';

/** The most workflows of a tenant that are looked at. */
export const maxWorkflows = 1_000;

export interface UsingWorkflow {
  id: number;
  name: string;
  blob: unknown;
}

/** The workflows of a tenant that have nodes of a namespace, in their published revision. */
export const listUsingWorkflows = (
  database: Pick<Database, 'tenantQuery'>,
  tenantId: string,
  namespace: string,
): Promise<UsingWorkflow[]> =>
  database.tenantQuery<UsingWorkflow & Record<string, unknown>>(tenantId, {
    text: `SELECT id, name, blob FROM workflows WHERE tenant_id = $1 AND deleted_at IS NULL
      AND strpos(blob::text, '"' || $2 || ':') > 0 ORDER BY id LIMIT ${maxWorkflows}`,
    values: [tenantId, namespace],
  });
