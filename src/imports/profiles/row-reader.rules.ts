import type { FileRecord, WantedColumn } from '#src/imports/formats/records.ts';
import { type CellFormat, Fault } from '#src/imports/targets/cells.ts';
import type { ImportColumn, ImportTarget } from '#src/imports/targets/target.ts';
import type { KeptProfile, Mapping, Transform } from './profiles.inputs.ts';

/** What is wrong with a cell, or with a row where `column` is null. */
export interface RowFault {
  /** As the file names it; the field where the profile gives its value. */
  column: string | null;
  value: string | null;
  reason: string;
}

/** A record as the target's columns have it. */
export interface ReadRow {
  line: number;
  /** Text that the database casts; null where the record has no value or a fault. */
  cells: (string | null)[];
  faults: readonly RowFault[];
}

/** What stands for a row that was passed over. */
export const passedRow: ReadRow = { line: 0, cells: [], faults: [] };
/** What stands for a row whose bytes were taken as they are. */
export const takenRow: ReadRow = { line: 0, cells: [], faults: [] };

/** Where the text of a column comes from, for all rows. */
export interface PlainSource {
  /** The place of its column among those wanted; -1: from no column. */
  place: number;
  /** What an empty cell means, or a column that the file lacks; null for no value. */
  byDefault: string | null;
  required: boolean;
}

export interface RowReader {
  columns: readonly ImportColumn[];
  /** What the file is read for. */
  wanted: readonly WantedColumn[];
  /** Of the columns, in their order, where cells are taken as they are but for the space around them; undefined where they are not. */
  plainSources: readonly PlainSource[] | undefined;
  /** How the file names a field. */
  columnOf: (field: string) => string;
  read: (record: FileRecord) => ReadRow;
}

const isBoolean = new Fault('Use a text or a number, not a boolean.');

interface Source {
  column?: string;
  value?: string;
  byDefault?: string | undefined;
  transforms: readonly Transform[];
}

const transform: Record<Transform, (text: string) => string> = {
  trim: (text) => text.trim(),
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  strip_leading_zeros: (text) => text.replace(/^0+(?=.)/, ''),
};

/** The faults of a mapping, by field; empty where there are no faults. */
export function mappingFaults(target: ImportTarget, mapping: Mapping | null): Record<string, string[]> {
  if (!mapping) return {};
  const columns = target.columns({ mode: 'full' });
  const names = columns.map(({ name }) => name);
  const unknown = Object.keys(mapping).filter((field) => !names.includes(field));
  const missing = columns.filter(({ name, required }) => required && !Object.hasOwn(mapping, name));
  return {
    ...Object.fromEntries(
      unknown.map((field) => [`mapping.${field}`, [`${target.name} has no such field. It has ${names.join(', ')}.`]]),
    ),
    ...Object.fromEntries(missing.map(({ name }) => [`mapping.${name}`, ['Map this field: every row needs it.']])),
  };
}

/** Reads records of files by the profile. */
export function createRowReader(target: ImportTarget, profile: KeptProfile): RowReader {
  const columns = target.columns(profile);
  const sources = columns.map(({ name }) => sourceOf(name, profile.mapping));
  const wanted = sources.flatMap((source, index): WantedColumn[] => {
    if (source?.column === undefined) return [];
    return [{ name: source.column, required: profile.mapping !== null || columns[index]?.required === true }];
  });
  // Two fields may be read from one column.
  const places = new Map([...new Set(wanted.map(({ name }) => name))].map((name, place) => [name, place]));
  const unique = [...places.keys()].map((name) => ({
    name,
    required: wanted.some((each) => each.name === name && each.required),
  }));
  const columnOf = (field: string): string => {
    const source = sources[columns.findIndex(({ name }) => name === field)];
    return source?.column ?? field;
  };
  const none: readonly RowFault[] = [];
  const cellReaders = columns.map((column, index) => cellReader(column, sources[index], places, profile));

  function read({ line, cells: given, fault }: FileRecord): ReadRow {
    let faults: RowFault[] | undefined;
    const cells: (string | null)[] = [];
    for (const readCell of cellReaders) {
      const value = readCell(given);
      if (typeof value !== 'object' || value === null) cells.push(value);
      else {
        cells.push(null);
        (faults ??= []).push(value);
      }
    }
    if (fault !== undefined) faults = [{ column: null, value: null, reason: fault }];
    return { line, cells, faults: faults ?? none };
  }

  const isPlain = profile.decimalSeparator === '.' && sources.every((source) => !source?.transforms.length);
  const plainSources = sources.map((source, index): PlainSource => {
    const { required = false, byDefault = null } = columns[index] as ImportColumn;
    const place = source?.column === undefined ? -1 : (places.get(source.column) ?? -1);
    return { place, byDefault: source?.value ?? source?.byDefault ?? byDefault, required };
  });

  return { columns, wanted: unique, plainSources: isPlain ? plainSources : undefined, columnOf, read };
}

/** Characters of a rejected value that are kept to find the fault by. */
export const keptOfValue = 1_000;

/** Reads a column of records. All that does not depend on the record is decided before: a million records are read. */
function cellReader(
  { name, cell, required, byDefault: columnDefault }: ImportColumn,
  source: Source | undefined,
  places: ReadonlyMap<string, number>,
  format: CellFormat,
): (given: FileRecord['cells']) => string | null | RowFault {
  const column = source?.column ?? name;
  const place = source?.column === undefined ? -1 : (places.get(source.column) ?? -1);
  const transforms = (source?.transforms ?? []).map((each) => transform[each]);
  const missing = source?.byDefault ?? columnDefault;
  const needed: RowFault = { column, value: null, reason: 'A value is needed.' };
  return (given) => {
    let text = place === -1 ? source?.value : given[place];
    if (typeof text === 'boolean') text = cell.type === 'boolean' ? String(text) : isBoolean;
    if (text instanceof Fault) return { column, value: null, reason: text.reason };
    if (text !== undefined) for (const change of transforms) text = change(text);
    if (text === undefined || text.trim() === '') text = missing;
    if (text === undefined) return required ? needed : null;
    const value = cell.read(text, format);
    if (typeof value === 'string') return value;
    return { column, value: text.slice(0, keptOfValue), reason: value.reason };
  };
}

function sourceOf(field: string, mapping: Mapping | null): Source | undefined {
  if (!mapping) return { column: field, transforms: [] };
  const given = Object.hasOwn(mapping, field) ? mapping[field] : undefined;
  if (given === undefined) return undefined;
  if (typeof given === 'string') return { column: given, transforms: [] };
  if ('value' in given) return { value: given.value, transforms: [] };
  return { column: given.column, byDefault: given.default ?? undefined, transforms: given.transforms ?? [] };
}
