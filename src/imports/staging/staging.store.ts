import type { RowHead } from '#src/imports/comparing/staged-text.ts';
import { keptOfValue, type ReadRow, type RowFault } from '#src/imports/profiles/row-reader.rules.ts';
import { type ImportChunk, type ImportColumn, type RefusedRow, stagedColumn } from '#src/imports/targets/target.ts';
import { copyIn } from '#src/infra/postgres/copy/copy.ts';
import { planBy } from '#src/infra/postgres/statements/plans.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

/** Copies rows of a target with these columns into the staging table, for the tenant of the transaction. */
export async function stageRows(tx: Tx, columns: readonly ImportColumn[], rows: Buffer): Promise<void> {
  const names = columns.map((_, at) => stagedColumn(at));
  await copyIn(tx, `COPY import_rows_all (job_id, n, line, faulty, ${names.join(', ')}) FROM STDIN`, rows);
}

/** Stages a few rows of a target with these columns. COPY is not available on connections that pipeline their statements. */
export async function insertRows(
  tx: Tx,
  jobId: number,
  { columns, rows }: { columns: readonly ImportColumn[]; rows: readonly (RowHead & Pick<ReadRow, 'cells'>)[] },
): Promise<void> {
  const texts = columns.map((_, at) => ({ name: stagedColumn(at), parameter: `$${at + 5}::text[]` }));
  await tx.query({
    text: `INSERT INTO import_rows_all (job_id, n, line, faulty, ${texts.map(({ name }) => name).join(', ')})
      SELECT $1::bigint, * FROM unnest($2::int[], $3::int[], $4::boolean[], ${texts.map(({ parameter }) => parameter).join(', ')})`,
    values: [
      jobId,
      rows.map(({ n }) => n),
      rows.map(({ line }) => line),
      rows.map(({ isFaulty }) => isFaulty),
      ...columns.map((_, at) => rows.map(({ cells }) => cells[at] ?? null)),
    ],
  });
}

/** The number of what is staged in the stead of a row that is not: no row has it. */
const stagedInstead = (n: number): number => -n;

/** Says that the rows up to one that is left out are staged. */
export const markRow = (n: number, columns: readonly ImportColumn[]): [RowHead, null[]] => [
  { n: stagedInstead(n), line: 0, isFaulty: true },
  columns.map(() => null),
];

/** True if the rows that were read are staged: the last of them is there, or its mark, and the mark of `beginRestaging` is gone. */
export async function isStaged(
  tx: Tx,
  { tenantId, id, rowsRead }: { tenantId: string; id: number; rowsRead: number },
): Promise<boolean> {
  const { rows } = await tx.query<{ it: boolean }>({
    text: `SELECT count(*) = 1 AND bool_and(n <> 0) AS it FROM import_rows
      WHERE tenant_id = $1 AND job_id = $2 AND n = ANY($3::int[])`,
    values: [tenantId, id, [0, rowsRead, stagedInstead(rowsRead)]],
  });
  return rows[0]?.it === true;
}

/** Drops what is staged, and leaves a mark until all of it is staged again: a row before the first, which no chunk has. */
export async function beginRestaging(tx: Tx, { tenantId, id }: { tenantId: string; id: number }): Promise<void> {
  await tx.query('DELETE FROM import_rows WHERE tenant_id = $1 AND job_id = $2', [tenantId, id]);
  await tx.query('INSERT INTO import_rows_all (job_id, n, line, faulty) VALUES ($1, 0, 0, true)', [id]);
}

export async function endRestaging(tx: Tx, { tenantId, id }: { tenantId: string; id: number }): Promise<void> {
  await tx.query('DELETE FROM import_rows WHERE tenant_id = $1 AND job_id = $2 AND n = 0', [tenantId, id]);
}

/**
 * Takes rows that were left out as unchanged, and are staged now, out of that number, once repeated ones are marked again: up to where the
 * job has merged, each row is counted, and after it those that are faulty.
 */
export async function recountUnchanged(tx: Tx, { tenantId, id }: { tenantId: string; id: number }): Promise<void> {
  await tx.query(
    `UPDATE bulk_jobs SET rows_unchanged = merged_to - rows_written - rows_rejected + (
        SELECT count(*) FROM import_rows WHERE tenant_id = $1 AND job_id = $2 AND faulty AND n > merged_to)
      WHERE tenant_id = $1 AND id = $2`,
    [tenantId, id],
  );
}

/** Rows of a chunk that were not rejected as they were read. */
export async function countAccepted(tx: Tx, { tenantId, jobId, after, upTo }: ImportChunk): Promise<number> {
  const { rows } = await tx.query<{ accepted: number }>({
    name: 'count-accepted-rows',
    text: `SELECT count(*) AS accepted FROM import_rows WHERE tenant_id = $1 AND job_id = $2 AND n > $3 AND n <= $4 AND NOT faulty`,
    values: [tenantId, jobId, after, upTo],
  });
  return rows[0]?.accepted ?? 0;
}

/** Numbers the staged rows anew, so that those of a record follow each other, in the file's order. */
export async function orderByRecord(
  tx: Tx,
  { tenantId, id }: { tenantId: string; id: number },
  { key, columns }: { key: readonly string[]; columns: readonly ImportColumn[] },
): Promise<void> {
  const names = columns.map((_, at) => stagedColumn(at)).join(', ');
  const keys = key.map((name) => stagedColumn(columns.findIndex((column) => column.name === name)));
  await tx.query(
    `WITH taken AS (DELETE FROM import_rows WHERE tenant_id = $1 AND job_id = $2 RETURNING *)
    INSERT INTO import_rows_all (job_id, n, line, faulty, ${names})
    SELECT job_id, row_number() OVER (ORDER BY ${keys.join(', ')}, n), line, faulty, ${names} FROM taken`,
    [tenantId, id],
  );
}

/** True if the row with this number and the next may name one record. Rows are ordered by record. */
export async function isOneRecord(
  tx: Tx,
  { tenantId, id }: { tenantId: string; id: number },
  n: number,
): Promise<boolean> {
  const { rows } = await tx.query<{ same: boolean }>({
    name: 'compare-import-rows',
    text: `SELECT count(DISTINCT coalesce(c1, '')) = 1 AS same FROM import_rows WHERE tenant_id = $1 AND job_id = $2 AND n IN ($3::int, $3::int + 1)`,
    values: [tenantId, id, n],
  });
  return rows[0]?.same === true;
}

export interface Reject extends RowFault {
  line: number;
}

export async function writeRejects(
  tx: Tx,
  { tenantId, jobId }: { tenantId: string; jobId: number },
  rejects: readonly Reject[],
): Promise<void> {
  if (rejects.length === 0) return;
  await tx.query({
    name: 'write-import-rejects',
    text: `INSERT INTO import_rejects (tenant_id, job_id, line, "column", value, reason)
      SELECT $1, $2, * FROM unnest($3::int[], $4::text[], $5::text[], $6::text[])`,
    values: [
      tenantId,
      jobId,
      rejects.map(({ line }) => line),
      rejects.map(({ column }) => column),
      rejects.map(({ value }) => value?.slice(0, keptOfValue).replaceAll('\0', '�').toWellFormed() ?? null),
      rejects.map(({ reason }) => reason),
    ],
  });
}

/** PairRunner rows that the merge refuses into rejects, with the line and the value that was read. */
export async function locateRefused(
  tx: Tx,
  { tenantId, jobId }: { tenantId: string; jobId: number },
  {
    refused,
    columns,
    findColumn,
  }: {
    refused: readonly RefusedRow[];
    columns: readonly ImportColumn[];
    findColumn: (field: string) => string;
  },
): Promise<Reject[]> {
  if (refused.length === 0) return [];
  const { rows } = await tx.query<{ n: number; line: number; cells: (string | null)[] }>({
    text: `SELECT n, line, ARRAY[${columns.map((_, at) => stagedColumn(at)).join(', ')}] AS cells FROM import_rows WHERE tenant_id = $1 AND job_id = $2 AND n = ANY($3::int[])`,
    values: [tenantId, jobId, refused.map(({ n }) => n)],
  });
  const byNumber = new Map(rows.map((row) => [row.n, row]));
  return refused.map(({ n, field, reason }) => {
    const row = byNumber.get(n);
    const at = columns.findIndex(({ name }) => name === field);
    const column = field === null ? null : findColumn(field);
    return { line: row?.line ?? 0, column, value: row?.cells[at] ?? null, reason };
  });
}

/** Rows that are grouped by one statement, about: each has a time limit. */
const groupedRows = 200_000;

/**
 * Rejects each row whose record an earlier row named, and answers how many; `rows` are staged. Grouping finds the few in a second for a
 * million rows; only those are then looked at one by one.
 */
export async function rejectRepeated(
  tx: Tx,
  { tenantId, id: jobId }: { tenantId: string; id: number },
  {
    key,
    columns,
    findColumn,
    rows: staged,
    isCounted = false,
  }: {
    key: readonly string[];
    columns: readonly ImportColumn[];
    findColumn: (field: string) => string;
    rows: number;
    /** They were rejected before, and are only skipped again. */
    isCounted?: boolean;
  },
): Promise<number> {
  const of = (name: string): string => {
    const at = columns.findIndex((column) => column.name === name);
    const { type } = (columns[at] as ImportColumn).cell;
    return type === 'numeric' ? `trim_scale(${stagedColumn(at)}::numeric)::text` : stagedColumn(at);
  };
  const first = columns.findIndex(({ name }) => name === key[key.length - 1]);
  const keys = key.map(of);
  const texts = keys.filter((_, at) => columns.find(({ name }) => name === key[at])?.cell.type === 'text');
  const parts = Math.max(1, Math.ceil(staged / groupedRows));
  await planBy(tx, 'tables');
  let rejected = 0;
  for (let part = 0; part < parts; part += 1) {
    const { rows } = await tx.query<{ rejected: number }>({
      text: `WITH repeated AS MATERIALIZED (
          SELECT ARRAY[${keys.join(', ')}] AS key, min(line) AS line FROM import_rows
          WHERE tenant_id = $1 AND job_id = $2 AND ${keys[0]} IS NOT NULL
            AND abs(hashtext(concat(${texts.join(', ')})) % $5::int) = $6
          GROUP BY 1 HAVING count(*) > 1
        ), later AS (
          UPDATE import_rows r SET faulty = true FROM repeated
          WHERE r.tenant_id = $1 AND r.job_id = $2 AND NOT r.faulty AND r.line > repeated.line
            AND ARRAY[${keys.join(', ')}] = repeated.key
          RETURNING r.line, r.${stagedColumn(first)} AS value, repeated.line AS earlier
        ), written AS (
          INSERT INTO import_rejects (tenant_id, job_id, line, "column", value, reason)
          SELECT $1, $2, line, $3, value, 'Line ' || earlier || ' names the same record. Keep one of the two.' FROM later WHERE NOT $4
        )
        SELECT count(*) AS rejected FROM later`,
      values: [tenantId, jobId, findColumn(key[key.length - 1] as string), isCounted, parts, part],
    });
    rejected += rows[0]?.rejected ?? 0;
  }
  await planBy(tx, 'keys');
  return rejected;
}
