import type { CellValue, FileRecord, WantedColumn } from '#src/imports/formats/records/records.ts';
import { Fault } from '#src/imports/targets/cells.ts';

/** The value at a dotted path of members. Names of members with a dot cannot be addressed. */
export function createPicker(wanted: readonly WantedColumn[]): (record: unknown, line: number) => FileRecord {
  // Columns of a parent are not read from the record itself.
  const paths = wanted.map(({ name }) => (name.startsWith('../') ? [] : name.split('.')));
  return (record, line) => {
    if (typeof record !== 'object' || record === null || Array.isArray(record))
      return { line, cells: wanted.map(() => undefined), fault: 'The record is not an object.' };
    return { line, cells: paths.map((path) => (path.length === 0 ? undefined : toCell(memberAt(record, path)))) };
  };
}

function memberAt(record: object, path: readonly string[]): unknown {
  let value: unknown = record;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

const notOne = new Fault('Use a text, a number or a boolean, not an object or a list.');

export function toCell(value: unknown): CellValue {
  if (value === null || value === undefined) return undefined;
  return typeof value === 'string' || typeof value === 'boolean' ? value : notOne;
}
