import type { SystemTx } from '#src/infra/postgres/database.ts';
import { toColumns } from '#src/infra/postgres/statements/columns.ts';
import { eventTriggersPerTenant } from './firings.inputs.ts';

/** Statements for a batch of events of all tenants, in the transaction of the relay. */

/** A trigger that waits for an event of the batch: the one at `position`, counted from 1. */
export interface WaitingTrigger {
  position: number;
  id: number;
  handle: string;
  workflow_id: number;
  filter: string | null;
  org_id: string;
}

// Concurrent requests can create a few more than the limit of a tenant.
const triggersPerEvent = 2 * eventTriggersPerTenant;

/** The active triggers of each tenant that name one of the patterns. */
export async function findEventTriggers(
  tx: SystemTx,
  wanted: { tenantId: string; patterns: string[] }[],
): Promise<WaitingTrigger[]> {
  const { rows } = await tx.query<WaitingTrigger>({
    name: 'find-event-triggers',
    text: `
      SELECT wanted.position::int, t.id, t.handle, t.workflow_id, t.filter, tenants.org_id
      FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS wanted(tenant_id, patterns, position)
      JOIN tenants ON tenants.id = wanted.tenant_id
      CROSS JOIN LATERAL (
        SELECT t.id, t.handle, t.workflow_id, t.config ->> 'filter' AS filter FROM triggers t
        JOIN workflows w ON w.tenant_id = t.tenant_id AND w.id = t.workflow_id AND w.deleted_at IS NULL
        WHERE t.tenant_id = wanted.tenant_id AND t.type = 'event' AND t.active AND t.config -> 'topics' ?| wanted.patterns::text[]
        ORDER BY t.id LIMIT ${triggersPerEvent}
      ) AS t`,
    // Postgres has no arrays of arrays of unequal length, so each list of patterns is sent as text.
    values: [
      wanted.map(({ tenantId }) => tenantId),
      wanted.map(({ patterns }) => `{${patterns.map((pattern) => JSON.stringify(pattern)).join(',')}}`),
    ],
  });
  return rows;
}

/** Adds firings to the counts of their chains, and returns the new counts. */
export async function countChains(
  tx: SystemTx,
  chains: { tenantId: string; rootRunId: number; firings: number }[],
): Promise<{ tenant_id: string; root_run_id: number; firings: number }[]> {
  // In order, so that two transactions with the same chains do not wait for each other.
  const { rows } = await tx.query<{ tenant_id: string; root_run_id: number; firings: number }>({
    name: 'count-chains',
    text: `INSERT INTO event_chains AS c (tenant_id, root_run_id, firings)
      SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS t(tenant_id, root_run_id, firings) ORDER BY 1, 2
      ON CONFLICT (tenant_id, root_run_id) DO UPDATE SET firings = c.firings + excluded.firings
      RETURNING tenant_id, root_run_id, firings`,
    values: toColumns(chains, 'tenantId', 'rootRunId', 'firings'),
  });
  return rows;
}

const keptDays = 7;
const sweepBatch = 5_000;

/** Deletes one batch of the counts of chains that began a week ago, and returns whether there may be more. */
export async function sweepChains(tx: Pick<SystemTx, 'query'>): Promise<boolean> {
  const { rowCount } = await tx.query(
    `DELETE FROM event_chains WHERE (tenant_id, root_run_id) IN (
       SELECT tenant_id, root_run_id FROM event_chains WHERE created_at < now() - $1 * interval '1 day'
       ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
     )`,
    [keptDays, sweepBatch],
  );
  return rowCount === sweepBatch;
}
