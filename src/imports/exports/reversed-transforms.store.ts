import type { Transform } from '#src/imports/profiles/mapping.inputs.ts';
import type { ExportColumn } from '#src/imports/targets/export-target.ts';
import { literal } from '#src/infra/postgres/copy/copy.ts';

/** The column with the text that the transform reads as its value; undefined where there may be none, or several. */
export function reverse(column: ExportColumn, transform: Transform): ExportColumn | undefined {
  // What these change, they leave as it is the second time.
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
