import type { Database, SystemTx } from '#src/infra/postgres/database.ts';
import { toColumns } from '#src/infra/postgres/statements/columns.ts';

/** A step that asks for its turn to send a request with a credential. */
export interface TurnRequest {
  tenantId: string;
  credentialId: string;
  workflowId: number;
  runId: number;
  path: string;
  /** True if the step waits on its worker; false if its run may be suspended. */
  inPlace: boolean;
}

/** `waitMs` is the time until the request may be sent or, if no turn is granted yet, the estimated time until it is. */
export interface Turn {
  granted: boolean;
  waitMs: number;
  /** A request that misses its turn by more than this should ask for another turn. */
  lateMs: number;
}

/** Asks for the turns of many steps in one statement, and returns one for each, in order. */
export async function takeTurns({ system }: Pick<Database, 'system'>, asked: readonly TurnRequest[]): Promise<Turn[]> {
  const { rows } = await system.query<{ place: number; granted: boolean; wait_ms: number; late_ms: number }>({
    name: 'take-turns',
    text: 'SELECT place, granted, wait_ms, late_ms FROM take_turns($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::boolean[])',
    values: toColumns(asked, 'tenantId', 'credentialId', 'workflowId', 'runId', 'path', 'inPlace'),
  });
  const turns: Turn[] = [];
  for (const { place, granted, wait_ms: waitMs, late_ms: lateMs } of rows)
    turns[place - 1] = { granted, waitMs, lateMs };
  return turns;
}

/** Stops all requests with a credential for a time. With `isRefusal`, consecutive refusals make the pause longer. */
export async function closeCredential(
  { system }: Pick<Database, 'system'>,
  { tenantId, credentialId, ms, isRefusal }: { tenantId: string; credentialId: string; ms: number; isRefusal: boolean },
): Promise<void> {
  await system.query('SELECT close_credential($1, $2, $3, $4)', [tenantId, credentialId, ms, isRefusal]);
}

/** True if a step waits for its turn. */
export async function isAnyQueued({ system }: Pick<Database, 'system'>): Promise<boolean> {
  const { rowCount } = await system.query('SELECT FROM credential_waits WHERE due_at IS NULL LIMIT 1');
  return rowCount === 1;
}

/** Grants the turns of the next 1.2 s, and returns the runs that got one. */
export async function grantTurns(tx: SystemTx): Promise<{ tenantId: string; runId: number }[]> {
  const { rows } = await tx.query<{ tenantId: string; runId: number }>(
    'SELECT DISTINCT tenant_id AS "tenantId", run_id AS "runId" FROM grant_turns()',
  );
  return rows;
}

/** Makes the runs that are still waiting due, and returns them. */
export async function wakeRuns(
  tx: SystemTx,
  runs: readonly { tenantId: string; runId: number }[],
): Promise<{ tenantId: string; runId: number }[]> {
  const { rows } = await tx.query<{ tenantId: string; runId: number }>(
    `UPDATE runs r SET wake_at = clock_timestamp(), updated_at = clock_timestamp() FROM unnest($1::text[], $2::bigint[]) AS i(tenant_id, id)
     WHERE r.tenant_id = i.tenant_id AND r.id = i.id AND r.status = 'waiting' RETURNING r.tenant_id AS "tenantId", r.id AS "runId"`,
    toColumns(runs, 'tenantId', 'runId'),
  );
  return rows;
}

/** Deletes granted turns that nobody used, and the schedules of credentials that are no longer limited. */
export async function sweepTurns({ system }: Pick<Database, 'system'>): Promise<void> {
  await system.query(
    `DELETE FROM credential_waits WHERE due_at < extract(epoch FROM now() - interval '1 minute') * 1000000`,
  );
  await system.query(
    `DELETE FROM credential_rates r WHERE next_at < extract(epoch FROM now() - interval '2 minutes') * 1000000
       AND coalesce(closed_until < now() - interval '2 minutes', true)
       AND NOT EXISTS (SELECT FROM credential_waits w WHERE w.tenant_id = r.tenant_id AND w.credential_id = r.credential_id)`,
  );
}
