import { withApostropheSql } from '#src/imports/formats/formulas.ts';
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
