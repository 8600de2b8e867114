import { isObject, type Json } from '#console/automation/editor/model/graph.ts';
import { keepDigits } from '#console/graph/exact-numbers.ts';

/** How a value is edited as rows: an object by its names, a list of objects by their members, or any other list by its items. */
export type Layout = 'names' | 'records' | 'items';

/** The cells of a row, by column. A record leaves out the members that it does not have. */
export type Row = Readonly<Record<string, unknown>>;

export interface Table {
  layout: Layout;
  columns: readonly string[];
  rows: readonly Row[];
}

export const nameColumn = 'name';
export const valueColumn = 'value';

const isFlat = (value: unknown): value is Json =>
  isObject(value) && Object.values(value).every((member) => !isObject(member) && !Array.isArray(member));

/** A value as a table; undefined where it is neither an object nor a list. */
export function readTable(value: unknown): Table | undefined {
  if (isObject(value)) {
    const rows = Object.entries(value).map(([name, member]) => ({ [nameColumn]: name, [valueColumn]: member }));
    return { layout: 'names', columns: [nameColumn, valueColumn], rows };
  }
  if (!Array.isArray(value)) return undefined;
  if (value.every(isFlat) && value.some((item) => Object.keys(item).length > 0)) {
    const rows = value;
    return { layout: 'records', columns: [...new Set(rows.flatMap((row) => Object.keys(row)))], rows };
  }
  return { layout: 'items', columns: [valueColumn], rows: value.map((item: unknown) => ({ [valueColumn]: item })) };
}

/** The value of a table. Of an object, empty rows are not written yet. */
export function writeTable({ layout, rows }: Table): unknown {
  if (layout === 'records') return rows;
  if (layout === 'items') return rows.map((row) => row[valueColumn]);
  const filled = rows.filter((row) => row[nameColumn] !== '' || row[valueColumn] !== '');
  return Object.fromEntries(filled.map((row) => [row[nameColumn], row[valueColumn]]));
}

/** The first name that two rows have; a value cannot hold both. */
export function repeatedName({ layout, rows }: Table): string | undefined {
  if (layout !== 'names') return undefined;
  const names = rows.map((row) => row[nameColumn] as string);
  return names.find((name, index) => name !== '' && names.indexOf(name) !== index);
}

const scalar = /^(?:true|false|null|-?\d|["[{])/;

function parsed(text: string): { value: unknown } | undefined {
  if (!scalar.test(text)) return undefined;
  try {
    return { value: JSON.parse(text, keepDigits) as unknown };
  } catch {
    return undefined;
  }
}

/** The text of a cell. Text that would read as another value has quotes. */
export const cellText = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' && !parsed(value) ? value : JSON.stringify(value);

/** The value of the text of a cell: JSON where it is some, else the text itself, such as an expression. */
export const cellValue = (text: string): unknown => {
  const read = parsed(text);
  return read ? read.value : text;
};

/**
 * Sets a cell of the table. An empty cell removes the member from its record. With `isText`, the text of a cell is its value, even if it
 * looks like a number or another type.
 */
export function setCell(table: Table, index: number, column: string, text: string, isText = false): Table {
  const isName = table.layout === 'names' && column === nameColumn;
  const value = isName || isText ? text : cellValue(text);
  const row = Object.entries({ ...table.rows[index], [column]: value });
  const kept = table.layout === 'records' ? row.filter(([, member]) => member !== '') : row;
  return { ...table, rows: table.rows.with(index, Object.fromEntries(kept)) };
}

export const addRow = (table: Table): Table => ({
  ...table,
  rows: [...table.rows, table.layout === 'records' ? {} : Object.fromEntries(table.columns.map((name) => [name, '']))],
});

export const removeRow = (table: Table, index: number): Table => ({ ...table, rows: table.rows.toSpliced(index, 1) });

/** The table with a row before the one at `to`, or last. */
export function moveRow(table: Table, from: number, to: number): Table {
  const moved = table.rows[from];
  if (moved === undefined || to < 0 || to >= table.rows.length) return table;
  return { ...table, rows: table.rows.toSpliced(from, 1).toSpliced(to, 0, moved) };
}

/** The table with one more column; an empty list becomes one of objects. */
export const addColumn = (table: Table, name: string): Table => ({
  layout: 'records',
  columns: table.layout === 'records' ? [...table.columns, name] : [name],
  rows: table.rows,
});

/** Where the order of rows is part of the value. That of the names of an object is not. */
export const isOrdered = ({ layout }: Pick<Table, 'layout'>): boolean => layout !== 'names';
