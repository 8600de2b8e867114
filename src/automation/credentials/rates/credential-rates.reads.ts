import type { Database } from '#src/infra/postgres/database.ts';

/** The current state of the rate limit of a credential. */
export interface RateState {
  /** No request is sent before this time, because the API asked for a pause; ISO 8601. */
  closedUntil: string | null;
  waitingSteps: number;
}

/** Steps are counted up to this number. */
export const maxCounted = 10_000;

/** By the credential's id. */
export async function readRateStates(
  database: Database,
  tenantId: string,
  ids: readonly bigint[],
): Promise<Map<bigint, RateState>> {
  const rows = await database.tenantQuery<{ id: string; closed_until: Date | null; waiting: number }>(tenantId, {
    name: 'credential-rate-states',
    text: `
      SELECT given.id::text AS id, r.closed_until, (
        SELECT count(*)::int FROM (
          SELECT FROM credential_waits w JOIN runs ON runs.tenant_id = w.tenant_id AND runs.id = w.run_id AND runs.completed_at IS NULL
          WHERE w.tenant_id = $1 AND w.credential_id = given.id AND w.due_at IS NULL LIMIT ${maxCounted}
        ) AS counted
      ) AS waiting
      FROM unnest($2::bigint[]) AS given(id)
      LEFT JOIN credential_rates r ON r.tenant_id = $1 AND r.credential_id = given.id AND r.closed_until > now()`,
    values: [tenantId, ids],
  });
  return new Map(
    rows.map(({ id, closed_until: until, waiting }) => [
      BigInt(id),
      { closedUntil: until?.toISOString() ?? null, waitingSteps: waiting },
    ]),
  );
}
