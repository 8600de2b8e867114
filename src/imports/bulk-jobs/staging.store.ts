import type { ReadRow, RowFault } from '#src/imports/profiles/row-reader.rules.ts';
import type { ImportColumn, RefusedRow } from '#src/imports/targets/target.ts';
import { copyIn } from '#src/infra/postgres/copy-in.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

/** Copies rows into the staging table: the tenant is that of the transaction. */
export async function stageRows(tx: Tx, jobId: number, from: number, rows: readonly ReadRow[]): Promise<void> {
  const lines = rows.map(
    ({ line, cells, faults }, index) =>
      `${jobId}\t${from + index + 1}\t${line}\t${faults.length > 0 ? 't' : 'f'}\t${arrayText(cells)}\n`,
  );
  await copyIn(tx, 'COPY import_rows_all (job_id, n, line, faulty, cells) FROM STDIN', lines.join(''));
}

const special = /[\\"\n\r\t]/g;
/** In an array's literal, and then in COPY's text format, a backslash and a quote are escaped. */
const escapes: Record<string, string> = {
  '\\': '\\\\\\\\',
  '"': '\\\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

const arrayText = (cells: readonly (string | null)[]): string =>
  `{${cells.map((cell) => (cell === null ? 'NULL' : `"${escaped(cell)}"`)).join(',')}}`;

const escaped = (cell: string): string => cell.replace(special, (letter) => escapes[letter] as string);

export interface Reject extends RowFault {
  line: number;
}

/** Characters of a value that are kept for whoever looks for the fault. */
const keptOfValue = 1_000;

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

/** Turns rows that the merge refuses into rejects, with the line and the value that was read. */
export async function locateRefused(
  tx: Tx,
  { tenantId, jobId }: { tenantId: string; jobId: number },
  {
    refused,
    columns,
    columnOf,
  }: {
    refused: readonly RefusedRow[];
    columns: readonly ImportColumn[];
    columnOf: (field: string) => string;
  },
): Promise<Reject[]> {
  if (refused.length === 0) return [];
  const { rows } = await tx.query<{ n: number; line: number; cells: (string | null)[] }>({
    name: 'locate-refused-rows',
    text: 'SELECT n, line, cells FROM import_rows WHERE tenant_id = $1 AND job_id = $2 AND n = ANY($3::int[])',
    values: [tenantId, jobId, refused.map(({ n }) => n)],
  });
  const byNumber = new Map(rows.map((row) => [row.n, row]));
  return refused.map(({ n, field, reason }) => {
    const row = byNumber.get(n);
    const at = columns.findIndex(({ name }) => name === field);
    const column = field === null ? null : columnOf(field);
    return { line: row?.line ?? 0, column, value: row?.cells[at] ?? null, reason };
  });
}

/**
 * Rejects each row whose record an earlier row named, and answers how many. Grouping finds the few in a second for a million rows;
 * only those are then looked at one by one.
 */
export async function rejectRepeated(
  tx: Tx,
  { tenantId, jobId }: { tenantId: string; jobId: number },
  {
    key,
    columns,
    columnOf,
  }: {
    key: readonly string[];
    columns: readonly ImportColumn[];
    columnOf: (field: string) => string;
  },
): Promise<number> {
  const of = (name: string): string => {
    const at = columns.findIndex((column) => column.name === name);
    const { type } = (columns[at] as ImportColumn).cell;
    return type === 'numeric' ? `trim_scale(cells[${at + 1}]::numeric)::text` : `cells[${at + 1}]`;
  };
  const first = columns.findIndex(({ name }) => name === key[key.length - 1]);
  const keys = key.map(of);
  const { rows } = await tx.query<{ rejected: number }>({
    text: `WITH repeated AS MATERIALIZED (
        SELECT ARRAY[${keys.join(', ')}] AS key, min(n) AS n, min(line) AS line FROM import_rows
        WHERE tenant_id = $1 AND job_id = $2 AND ${keys[0]} IS NOT NULL GROUP BY 1 HAVING count(*) > 1
      ), later AS (
        UPDATE import_rows r SET faulty = true FROM repeated
        WHERE r.tenant_id = $1 AND r.job_id = $2 AND NOT r.faulty AND r.n > repeated.n
          AND ARRAY[${keys.join(', ')}] = repeated.key
        RETURNING r.line, r.cells[${first + 1}] AS value, repeated.line AS earlier
      ), written AS (
        INSERT INTO import_rejects (tenant_id, job_id, line, "column", value, reason)
        SELECT $1, $2, line, $3, value, 'Line ' || earlier || ' names the same record. Keep one of the two.' FROM later
      )
      SELECT count(*) AS rejected FROM later`,
    values: [tenantId, jobId, columnOf(key[key.length - 1] as string)],
  });
  return rows[0]?.rejected ?? 0;
}
