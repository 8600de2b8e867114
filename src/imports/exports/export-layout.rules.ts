import { writers } from '#src/imports/formats/formats.ts';
import { FileFault } from '#src/imports/formats/records/records.ts';
import type { Writer } from '#src/imports/formats/records/written.ts';
import type { Mapping } from '#src/imports/profiles/mapping.inputs.ts';
import { type Cell, Fault, instantCell } from '#src/imports/targets/cells.ts';
import type { ExportColumn, ExportTarget } from '#src/imports/targets/export-target.ts';
import { ValidationError } from '#src/infra/errors.ts';
import { reverse } from './export-rows.store.ts';
import type { KeptExport } from './exports.inputs.ts';

/** Leaves out rows with another value, or with a lower one. */
export interface Condition {
  sql: string;
  is: '=' | '>=';
  /** The value as text, which the database casts. */
  value: string;
  type: Cell['type'];
}

export interface ExportLayout {
  writer: Writer;
  /** The columns of the file, by their names there. */
  columns: readonly ExportColumn[];
  conditions: readonly Condition[];
}

/**
 * The columns and filters of an export: the mapping of a profile, reversed. A field to which the profile gives a value is not a column:
 * only rows with this value are exported. Throws ValidationError for a mapping that cannot be reversed.
 */
export function layOut(target: ExportTarget, { filter, mapping, ...kept }: KeptExport): ExportLayout {
  const all = target.columns(kept);
  const writer = writers[kept.format];
  if (!writer) throw new ValidationError({ format: [`Files of the format ${kept.format} cannot be written.`] });
  const conditions = Object.entries(filter).map(([name, text]) => filtered(target, all, { name, text }));
  const columns: ExportColumn[] = [];
  for (const column of all) {
    const source = mapping ? readSource(mapping, column.name) : { name: column.name };
    if (!source) continue;
    if ('value' in source) {
      const { cell, sql } = column;
      conditions.push({ sql, is: '=', value: read(cell, source.value, `mapping.${column.name}`), type: cell.type });
    } else if (!columns.some(({ name }) => name === source.name)) {
      const given = mapping && Object.hasOwn(mapping, column.name) ? mapping[column.name] : undefined;
      columns.push({ ...reversed(column, given), name: source.name });
    }
  }
  if (!kept.header && (kept.format === 'csv' || kept.format === 'xlsx')) orderByNumber(columns);
  try {
    writer.check?.({ ...kept, columns: columns.map(({ name, cell: { type } }) => ({ name, type })) });
  } catch (error) {
    if (error instanceof FileFault) throw new ValidationError({ profile: [error.message] });
    throw error;
  }
  return { writer, columns, conditions };
}

function readSource(mapping: Mapping, field: string): { name: string } | { value: string } | undefined {
  const given = Object.hasOwn(mapping, field) ? mapping[field] : undefined;
  if (given === undefined || typeof given === 'string') return given === undefined ? undefined : { name: given };
  if ('value' in given) return given;
  if ('column' in given) return { name: given.column };
  throw notReversed(field, 'expression' in given ? 'An expression' : 'A joined column');
}

/** A column whose values an import by the same transforms reads as they were. */
function reversed(column: ExportColumn, source: Mapping[string] | undefined): ExportColumn {
  const transforms = typeof source === 'object' && 'transforms' in source ? (source.transforms ?? []) : [];
  let written = column;
  for (const transform of transforms.toReversed()) {
    const before = reverse(written, transform);
    if (!before) throw notReversed(column.name, `The transform ${Object.keys(transform)[0]}`);
    written = before;
  }
  return written;
}

const notReversed = (field: string, what: string): ValidationError =>
  new ValidationError({ [`mapping.${field}`]: [`${what} cannot be reversed. Export by a profile without it.`] });

/** Without names, columns stand at their numbers. */
function orderByNumber(columns: ExportColumn[]): void {
  columns.sort((one, two) => Number(one.name) - Number(two.name));
  const isWhole = columns.every(({ name }, at) => Number(name) === at + 1);
  if (!isWhole)
    throw new ValidationError({ profile: ['Without a header, an export needs the columns 1, 2, 3 and so on.'] });
}

const updatedSince = 'updated_since';

function filtered(
  { updatedAt }: ExportTarget,
  columns: readonly ExportColumn[],
  { name, text }: { name: string; text: string },
): Condition {
  const field = `filter.${name}`;
  if (name === updatedSince && updatedAt !== undefined)
    return { sql: updatedAt, is: '>=', value: read(instantCell, text, field), type: 'timestamptz' };
  const column = columns.find((each) => each.name === name);
  if (column) return { sql: column.sql, is: '=', value: read(column.cell, text, field), type: column.cell.type };
  const names = [...columns.map((each) => each.name), ...(updatedAt === undefined ? [] : [updatedSince])];
  throw new ValidationError({ [field]: [`There is no such filter. Use one of ${names.join(', ')}.`] });
}

function read(cell: ExportColumn['cell'], text: string, field: string): string {
  const value = cell.read(text, { decimalSeparator: '.' });
  if (value instanceof Fault) throw new ValidationError({ [field]: [value.reason] });
  return value;
}
