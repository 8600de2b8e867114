import { NotFoundError } from '#src/infra/errors.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { isoInstants } from '#src/infra/postgres/statements/instants.ts';
import type { RunStatus } from './run-status.rules.ts';

/** A run as lists show it: no payload, no result. Instants are ISO 8601 text. */
export interface RunRow {
  id: number;
  workflowId: number;
  workflowName: string;
  status: RunStatus;
  error: string | null;
  triggerHandle: string | null;
  triggerType: 'manual' | 'schedule' | 'webhook' | 'event' | 'poll';
  revision: number;
  isTest: boolean;
  startedAt: string | null;
  completedAt: string | null;
  createdAt: string;
  updatedAt: string;
}

/** Columns of `runs r` and `workflows w` that make a RunRow. */
export const runColumns = `r.id, r.workflow_id AS "workflowId", w.name AS "workflowName", r.status, r.error,
  r.trigger_handle AS "triggerHandle", r.trigger_type AS "triggerType", r.revision, r.is_test AS "isTest", r.started_at AS "startedAt",
  r.completed_at AS "completedAt", r.created_at AS "createdAt", r.updated_at AS "updatedAt"`;

/** The tenant's runs with these ids, by id. */
export async function findRuns(
  database: Database,
  tenantId: string,
  ids: readonly (number | bigint)[],
): Promise<Map<number, RunRow>> {
  const rows = await database.tenantQuery<RunRow>(tenantId, {
    name: 'find-runs',
    text: `SELECT ${runColumns} FROM runs r JOIN workflows w ON w.tenant_id = r.tenant_id AND w.id = r.workflow_id
           WHERE r.tenant_id = $1 AND r.id = ANY($2::bigint[])`,
    values: [tenantId, ids.map(String)],
    types: isoInstants,
  });
  return new Map(rows.map((row) => [row.id, row]));
}

/** A run that the tenant is known to have. NotFoundError if retention deleted it meanwhile. */
export async function requireRun(database: Database, tenantId: string, id: number): Promise<RunRow> {
  const run = (await findRuns(database, tenantId, [id])).get(id);
  if (!run) throw new NotFoundError();
  return run;
}

/** Milliseconds between start and end; null until both are there. */
export const runDuration = ({ startedAt, completedAt }: Pick<RunRow, 'startedAt' | 'completedAt'>): number | null =>
  startedAt === null || completedAt === null ? null : Date.parse(completedAt) - Date.parse(startedAt);
