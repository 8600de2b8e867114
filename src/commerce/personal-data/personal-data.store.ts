import type { Database } from '#src/infra/postgres/database.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import type { FindingsOfRow } from './findings.rules.ts';
import type { SearchedTable } from './searched-tables.rules.ts';

/** Rows that one transaction changes. */
const step = 200;

/** Erases what was found in rows of one table; returns the rows that somebody else has changed since they were read. */
export async function eraseRows(
  database: Pick<Database, 'withTenantSql'>,
  tenantId: string,
  table: SearchedTable,
  rows: readonly FindingsOfRow[],
): Promise<FindingsOfRow[]> {
  const missed: FindingsOfRow[] = [];
  for (let from = 0; from < rows.length; from += step) {
    const some = rows.slice(from, from + step);
    missed.push(
      ...(await database.withTenantSql(tenantId, async (tx) => {
        // The login of the command, which owns the tables; until the transaction ends.
        if (table.appendOnly) await tx.query('SET LOCAL ROLE NONE');
        const changed: FindingsOfRow[] = [];
        for (const row of some) if (!(await eraseRow(tx, tenantId, table, row))) changed.push(row);
        return changed;
      })),
    );
  }
  return missed;
}

async function eraseRow(tx: Tx, tenantId: string, table: SearchedTable, row: FindingsOfRow): Promise<boolean> {
  const values: (string | null)[] = [tenantId];
  const place = (value: string | null): string => `$${values.push(value)}`;
  const key = table.key.map((column, index) => `t."${column}" = ${place(row.key[index] as string)}`);
  const erasable = row.findings.filter(({ erasedTo }) => erasedTo !== null);
  const isDeleted = erasable.some(({ column }) => column === table.deletes);
  const asRead = erasable.map(({ column }) => `t."${column}"::text = ${place(row.columns[column] ?? null)}`);
  const where = ['t.tenant_id = $1', ...key, ...asRead].join(' AND ');
  const { rowCount } = await tx.query(
    isDeleted
      ? `DELETE FROM ${table.name} t WHERE ${where}`
      : `UPDATE ${table.name} t SET ${erasable.map(({ column, erasedTo }) => `"${column}" = ${place(erasedTo)}`).join(', ')} WHERE ${where}`,
    values,
  );
  if (rowCount !== 0 && table.derived !== undefined && !isDeleted) {
    const [, ...keys] = values.slice(0, table.key.length + 1);
    await tx.query(`UPDATE ${table.name} t SET ${table.derived} WHERE ${['t.tenant_id = $1', ...key].join(' AND ')}`, [
      tenantId,
      ...keys,
    ]);
  }
  return rowCount !== 0;
}

/** An import that may bring a contact, queued or running. */
export async function findImport(tx: Pick<Tx, 'query'>, tenantId: string): Promise<number | undefined> {
  const { rows } = await tx.query<{ id: number }>(
    `SELECT id FROM bulk_jobs WHERE tenant_id = $1 AND kind = 'import' AND target IN ('contacts', 'organizations')
     AND status IN ('queued', 'running') ORDER BY id LIMIT 1`,
    [tenantId],
  );
  return rows[0]?.id;
}

/** Targets whose files name customers. */
const targets = `target IN ('contacts', 'organizations', 'orders')`;

const ended = `SELECT id, upload_id, result_key FROM bulk_jobs WHERE tenant_id = $1 AND ${targets} AND status NOT IN ('queued', 'running')`;
/** SQL that is true for an upload `u` that no job will read. */
const isUnread = `NOT EXISTS (SELECT FROM bulk_jobs o WHERE o.tenant_id = $1 AND o.upload_id = u.id AND o.status IN ('queued', 'running'))`;

/** SQL that is true for a file `f` of a run that has ended. Its content is not searched, so it may name anybody. */
const isOfEndedRun = `NOT EXISTS (SELECT FROM runs r WHERE r.tenant_id = $1 AND r.id = f.run_id AND r.status IN ('queued', 'running', 'waiting'))`;

/** Lists the storage keys of files of ended runs, and of ended imports and exports, that may name customers. */
export const findFiles = async (
  { tenantQuery }: Pick<Database, 'tenantQuery'>,
  tenantId: string,
): Promise<string[]> => {
  const rows = await tenantQuery<{ key: string }>(tenantId, {
    text: `WITH ended AS (${ended})
      SELECT result_key AS key FROM ended WHERE result_key IS NOT NULL
      UNION SELECT u.storage_key FROM uploads u JOIN ended e ON e.upload_id = u.id
      WHERE u.tenant_id = $1 AND u.storage_key IS NOT NULL AND ${isUnread}
      UNION SELECT f.storage_key FROM run_files f WHERE f.tenant_id = $1 AND ${isOfEndedRun}`,
    values: [tenantId],
  });
  return rows.map(({ key }) => key);
};

/** Deletes the records of these files, and returns their storage keys. */
export const forgetFiles = ({ withTenantSql }: Pick<Database, 'withTenantSql'>, tenantId: string): Promise<string[]> =>
  withTenantSql(tenantId, async (tx) => {
    const { rows } = await tx.query<{ key: string }>(
      `WITH ended AS (${ended}),
       results AS (UPDATE bulk_jobs j SET result_key = NULL FROM ended e
         WHERE j.tenant_id = $1 AND j.id = e.id AND e.result_key IS NOT NULL RETURNING e.result_key AS key),
       files AS (DELETE FROM uploads u USING ended e WHERE u.tenant_id = $1 AND u.id = e.upload_id AND ${isUnread}
         RETURNING u.storage_key AS key),
       of_runs AS (DELETE FROM run_files f WHERE f.tenant_id = $1 AND ${isOfEndedRun} RETURNING f.storage_key AS key)
       SELECT key FROM of_runs UNION SELECT key FROM results UNION SELECT key FROM files WHERE key IS NOT NULL`,
      [tenantId],
    );
    return rows.map(({ key }) => key);
  });
