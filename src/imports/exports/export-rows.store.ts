import { withApostropheSql } from '#src/imports/formats/tables/formulas.ts';
import type { Transform } from '#src/imports/profiles/mapping.inputs.ts';
import type { ExportColumn, ExportTarget } from '#src/imports/targets/export-target.ts';
import { literal } from '#src/infra/postgres/copy/copy.ts';
import { instantSql } from '#src/infra/postgres/statements/instants.ts';
import type { Condition, ExportLayout } from './export-layout.rules.ts';

interface Written {
  delimiter: string;
  quote: string;
  decimalSeparator: string;
}

/** The statement that sends the rows of an export. COPY takes no parameters, so that values are written as literals. */
export function copyStatement(
  target: ExportTarget,
  { writer, columns, conditions }: ExportLayout,
  written: Written,
): string {
  const cells = columns.map((column) => cellSql(column, { ...written, guarded: writer.isForSpreadsheets }));
  const options =
    writer.copies === 'csv'
      ? ` WITH (FORMAT csv, DELIMITER ${literal(written.delimiter)}, QUOTE ${literal(written.quote)})`
      : '';
  return `COPY (SELECT ${cells.join(', ')} ${rowsSql(target, conditions)} ORDER BY ${target.orderBy}) TO STDOUT${options}`;
}

export const countStatement = (target: ExportTarget, { conditions }: ExportLayout): string =>
  `SELECT count(*) AS rows ${rowsSql(target, conditions)}`;

function rowsSql({ from, where }: ExportTarget, conditions: readonly Condition[]): string {
  const all = conditions.map(({ sql, is, value, type }) => `(${sql}) ${is} ${literal(value)}::${type}`);
  if (where !== undefined) all.push(`(${where})`);
  return `FROM ${from}${all.length > 0 ? ` WHERE ${all.join(' AND ')}` : ''}`;
}

function cellSql(
  { sql, cell: { type } }: ExportColumn,
  { decimalSeparator, guarded }: Pick<Written, 'decimalSeparator'> & { guarded: boolean },
): string {
  if (type === 'text') return guarded ? withApostropheSql(`(${sql})`) : sql;
  if (type === 'timestamptz') return instantSql(`(${sql})`);
  const text = `(${sql})::text`;
  return type === 'numeric' && decimalSeparator === ',' ? `replace(${text}, '.', ',')` : text;
}

/** The column with the text that the transform reads as its value; undefined where there may be none, or several. */
export function reverse(column: ExportColumn, transform: Transform): ExportColumn | undefined {
  // These transforms are idempotent: applied to their own result, they change nothing.
  if (typeof transform === 'string') return column;
  const text = `(${column.sql})::text`;
  const cell = { ...column.cell, type: 'text' as const };
  if ('number' in transform)
    return { ...column, cell, sql: `replace(${text}, '.', ${literal(transform.number.decimal)})` };
  if (!('lookup' in transform) || transform.otherwise != null) return undefined;
  const entries = Object.entries(transform.lookup);
  if (entries.length === 0 || new Set(entries.map(([, value]) => value)).size < entries.length) return undefined;
  const cases = entries.map(([key, value]) => `WHEN ${literal(value)} THEN ${literal(key)}`);
  return { ...column, cell, sql: `CASE ${text} ${cases.join(' ')} ELSE ${text} END` };
}
