import { type RunRow, runColumns } from '#src/automation/runs/runs.reads.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { isoInstants } from '#src/infra/postgres/statements/instants.ts';

export type VersionedRow = RunRow & { version: number };

/** Runs that are followed at a time in one scope. */
export const trackedRuns = 20_000;
/** Runs that are read in one statement. */
export const pageSize = 1_000;

type Reader = Pick<Database, 'tenantQuery'>;

const ofWorkflow = (workflowId: number | null): string => (workflowId === null ? '' : 'AND workflow_id = $2');
const paged = (ids: string): string => `
  SELECT r.version, ${runColumns} FROM (${ids}) AS page JOIN runs r ON r.tenant_id = $1 AND r.id = page.id
  JOIN workflows w ON w.tenant_id = r.tenant_id AND w.id = r.workflow_id`;

/** The id of the newest run of the scope; 0 if it has none. */
export async function newestRun(database: Reader, tenantId: string, workflowId: number | null): Promise<number> {
  const rows = await database.tenantQuery<{ id: number }>(tenantId, {
    text: `SELECT id FROM runs WHERE tenant_id = $1 AND $2::bigint IS NOT DISTINCT FROM $2 ${ofWorkflow(workflowId)} ORDER BY id DESC LIMIT 1`,
    values: [tenantId, workflowId],
  });
  return rows[0]?.id ?? 0;
}

/** The newest active runs, newest first. */
export const readLive = (database: Reader, tenantId: string, workflowId: number | null): Promise<VersionedRow[]> =>
  database.tenantQuery<VersionedRow>(tenantId, {
    text: `${paged(`SELECT id FROM runs WHERE tenant_id = $1 AND $2::bigint IS NOT DISTINCT FROM $2 ${ofWorkflow(workflowId)}
      AND status IN ('queued', 'running', 'waiting') ORDER BY id DESC LIMIT ${pageSize}`)} ORDER BY r.id DESC`,
    values: [tenantId, workflowId],
    types: isoInstants,
  });

/** Runs made after `after`, and the known ones as they are now. */
export async function readOthers(
  database: Reader,
  tenantId: string,
  workflowId: number | null,
  after: number,
  known: number[],
): Promise<VersionedRow[]> {
  const found: VersionedRow[] = [];
  for (let from = 0; from < known.length; from += pageSize) {
    const rows = await database.tenantQuery<VersionedRow>(tenantId, {
      text: paged('SELECT unnest($2::bigint[]) AS id'),
      values: [tenantId, known.slice(from, from + pageSize)],
      types: isoInstants,
    });
    found.push(...rows);
  }
  for (let last = after; ;) {
    const rows = await database.tenantQuery<VersionedRow>(tenantId, {
      text: `${paged(`SELECT id FROM runs WHERE tenant_id = $1 AND $2::bigint IS NOT DISTINCT FROM $2 ${ofWorkflow(workflowId)} AND id > $3
        ORDER BY id LIMIT ${pageSize}`)} ORDER BY r.id`,
      values: [tenantId, workflowId, last],
      types: isoInstants,
    });
    found.push(...rows);
    last = rows.at(-1)?.id ?? last;
    if (rows.length < pageSize || found.length >= trackedRuns) return found;
  }
}
