import type { CellValue, FileRecord, WantedColumn } from '#src/imports/formats/records/records.ts';
import { type CellFormat, Fault } from '#src/imports/targets/cells.ts';
import type { Expressions } from '#src/imports/targets/import-deps.ts';
import type { ImportColumn, ImportTarget } from '#src/imports/targets/target.ts';
import { type ComputedCell, createComputing, longComputing } from './computed-cells.rules.ts';
import type { Mapping, Transform } from './mapping.inputs.ts';
import type { KeptProfile } from './profiles.inputs.ts';
import { type Change, createChange } from './transforms.rules.ts';

/** A fault of a cell, or of a row if `column` is null. */
export interface RowFault {
  /** Its name in the file; the field if the profile gives its value. */
  column: string | null;
  value: string | null;
  reason: string;
}

/** A record in the columns of the target. */
export interface ReadRow {
  line: number;
  /** Text that the database casts; null where the record has no value or a fault. */
  cells: (string | null)[];
  faults: readonly RowFault[];
}

/** Placeholder for a row that was kept by its bytes. */
export const skippedRow: ReadRow = { line: 0, cells: [], faults: [] };

/** Where the text of a column comes from, for all rows. */
export interface PlainSource {
  /** The place of its column among those wanted; -1: from no column. */
  place: number;
  /** The value of an empty cell, or of a column that the file lacks; null for no value. */
  byDefault: string | null;
  required: boolean;
}

export interface RowReader {
  columns: readonly ImportColumn[];
  /** The columns that are read from the file. */
  wanted: readonly WantedColumn[];
  /** The sources of the columns, in their order, if cells are only trimmed; undefined if the profile changes them. */
  plainSources: readonly PlainSource[] | undefined;
  /** How the file names a field. */
  findColumn: (field: string) => string;
  /** To be called with records before they are read; undefined where the profile has no expressions. */
  compute: ((records: readonly FileRecord[]) => Promise<void>) | undefined;
  read: (record: FileRecord) => ReadRow;
}

const isBoolean = new Fault('Use a text or a number, not a boolean.');

interface Source {
  /** The columns that it is read from: several are joined, or passed to its expression. */
  columns: readonly string[];
  separator?: string;
  expression?: string;
  value?: string;
  byDefault?: string | undefined;
  transforms: readonly Transform[];
}

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
export function createRowReader(
  target: ImportTarget,
  profile: KeptProfile,
  expressions?: Pick<Expressions, 'compile'> & { maxMs?: number },
): RowReader {
  const columns = target.columns(profile);
  const sources = columns.map(({ name }) => findSource(name, profile.mapping));
  const wanted = sources.flatMap((source, index): WantedColumn[] => {
    const required = profile.mapping !== null || columns[index]?.required === true;
    return (source?.columns ?? []).map((name) => ({ name, required }));
  });
  // Two fields may be read from one column.
  const places = new Map([...new Set(wanted.map(({ name }) => name))].map((name, place) => [name, place]));
  const unique = [...places.keys()].map((name) => ({
    name,
    required: wanted.some((each) => each.name === name && each.required),
  }));
  const findColumn = (field: string): string => {
    const source = sources[columns.findIndex(({ name }) => name === field)];
    return source?.columns.length === 1 ? (source.columns[0] as string) : field;
  };
  const none: readonly RowFault[] = [];
  const computed: ComputedCell[] = [];
  const cellReaders = columns.map((column, index) => {
    const { name } = column;
    const source = sources[index];
    const own = (source?.columns ?? []).map((each) => ({ name: each, place: places.get(each) as number }));
    if (source?.expression !== undefined) computed.push({ expression: source.expression, columns: own });
    const place = unique.length + computed.length - 1;
    const pick =
      source?.expression === undefined ? createPick(source, own) : (given: FileRecord['cells']) => given[place];
    return cellReader(column, { source, pick, column: findColumn(name) }, profile);
  });
  if (computed.length > 0 && !expressions) throw new Error('The profile has expressions, and nothing evaluates them.');

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

  const isTaken = (source: Source | undefined): boolean =>
    !source || (source.transforms.length === 0 && source.columns.length <= 1 && source.expression === undefined);
  const isPlain = profile.decimalSeparator === '.' && sources.every(isTaken);
  const plainSources = sources.map((source, index): PlainSource => {
    const { required = false, byDefault = null } = columns[index] as ImportColumn;
    const [name] = source?.columns ?? [];
    const place = name === undefined ? -1 : (places.get(name) ?? -1);
    return { place, byDefault: source?.value ?? source?.byDefault ?? byDefault, required };
  });

  return {
    columns,
    wanted: unique,
    plainSources: isPlain ? plainSources : undefined,
    findColumn,
    compute:
      expressions && computed.length > 0
        ? createComputing({ maxMs: longComputing, ...expressions }, computed, profile)
        : undefined,
    read,
  };
}

/** Characters of a rejected value that are kept to find the fault by. */
export const keptOfValue = 1_000;

/** Reads a column of records. All that does not depend on the record is decided before: a million records are read. */
function cellReader(
  { cell, required, byDefault: columnDefault }: ImportColumn,
  { source, pick, column }: { source: Source | undefined; pick: PickCell; column: string },
  format: CellFormat,
): (given: FileRecord['cells']) => string | null | RowFault {
  const changes = (source?.transforms ?? []).map((each) => createChange(each, format));
  const missing = source?.byDefault ?? columnDefault;
  const needed: RowFault = { column, value: null, reason: 'A value is needed.' };
  return (given) => {
    let text = pick(given);
    if (typeof text === 'boolean') text = cell.type === 'boolean' ? String(text) : isBoolean;
    if (text instanceof Fault) return { column, value: null, reason: text.reason };
    if (text !== undefined && text.trim() === '') text = undefined;
    const changed = text === undefined || changes.length === 0 ? text : changedBy(changes, text);
    if (changed === undefined && missing === undefined) return required ? needed : null;
    const value = changed instanceof Fault ? changed : cell.read(changed ?? (missing as string), format);
    if (typeof value === 'string') return value;
    const shown = (changed === undefined ? missing : text) ?? '';
    return { column, value: shown.slice(0, keptOfValue), reason: value.reason };
  };
}

/** Undefined where nothing is left. */
function changedBy(changes: readonly Change[], text: string): string | Fault | undefined {
  let changed = text;
  for (const change of changes) {
    const result = change(changed);
    if (result instanceof Fault) return result;
    changed = result;
  }
  return changed.trim() === '' ? undefined : changed;
}

/** The value of a field in a record, before it is read. */
type PickCell = (given: FileRecord['cells']) => CellValue;

function createPick(source: Source | undefined, columns: readonly { place: number }[]): PickCell {
  const [first, ...others] = columns.map(({ place }) => place);
  if (first === undefined) return () => source?.value;
  if (others.length === 0) return (given) => given[first];
  return (given) => {
    const texts: string[] = [];
    for (const place of [first, ...others]) {
      const cell = given[place];
      if (cell instanceof Fault) return cell;
      if (typeof cell === 'boolean') return isBoolean;
      if (cell !== undefined && cell !== '') texts.push(cell);
    }
    return texts.join(source?.separator);
  };
}

function findSource(field: string, mapping: Mapping | null): Source | undefined {
  if (!mapping) return { columns: [field], transforms: [] };
  const given = Object.hasOwn(mapping, field) ? mapping[field] : undefined;
  if (given === undefined) return undefined;
  if (typeof given === 'string') return { columns: [given], transforms: [] };
  if ('value' in given) return { columns: [], value: given.value, transforms: [] };
  const changed = { byDefault: given.default ?? undefined, transforms: given.transforms ?? [] };
  if ('column' in given) return { columns: [given.column], ...changed };
  if ('expression' in given) return { columns: given.columns, expression: given.expression, ...changed };
  return { columns: given.columns, separator: given.separator ?? ' ', ...changed };
}
