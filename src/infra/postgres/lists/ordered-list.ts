import type pg from 'pg';
import type { TenantStatement } from '#src/infra/postgres/statements/tenant-query.ts';
import type { KeyPage } from './keyset.ts';
import { SqlParameters } from './sql-parameters.ts';

/** A sort key: an SQL expression, and the type by which a cursor writes its values. */
export interface SortKey {
  sql: string;
  type: 'text' | 'bigint' | 'timestamptz';
  /** Rows without a value come last, whichever way the list is sorted. */
  nullable?: boolean;
  /** Sorts opposite to the list: the newest version first where slugs ascend. */
  reversed?: boolean;
}

/** A list that can be sorted in several ways and is read in pages of any order, by keyset. */
export interface OrderedList<Field extends string, Filter> {
  /** The SQL after FROM. */
  from: string;
  /** Identifies a row. It settles the order of rows whose sort keys are equal. */
  id: Pick<SortKey, 'sql' | 'type'>;
  orders: Record<Field, readonly SortKey[]>;
  /** Conditions that hold for the rows within the filter. */
  where: (filter: Filter, parameters: SqlParameters) => string[];
}

export interface Order<Field extends string> {
  field: Field;
  direction: 'ASC' | 'DESC';
}

/** A row's place in an order: the values of its sort keys as text, its id last. */
export type Place = readonly (string | null)[];

/** Runs a statement with access to the list: in its tenant, or over the tables that no tenant owns. */
export type RunStatement = <Row extends pg.QueryResultRow>(statement: TenantStatement) => Promise<Row[]>;

export interface PlacedRow {
  rowId: string;
  place: Place;
}

const sortKeys = <Field extends string>(
  list: OrderedList<Field, never>,
  { field }: Order<Field>,
): readonly SortKey[] => [...list.orders[field], list.id];

/** SQL for one page: the id and the place of each row, as a `PlacedRow`. */
export function pageOfList<Field extends string, Filter>(
  list: OrderedList<Field, Filter>,
  filter: Filter,
  order: Order<Field>,
  { take, skip, backwards, after, before }: KeyPage<Place>,
): pg.QueryConfig {
  const keys = sortKeys(list, order);
  const parameters = new SqlParameters();
  const where = list.where(filter, parameters);
  if (after) where.push(beyond(keys, after, { order, side: 'after', parameters }));
  if (before) where.push(beyond(keys, before, { order, side: 'before', parameters }));
  const by = keys.map(({ sql, nullable, reversed }) => {
    const way = ascends(order, reversed) === backwards ? 'DESC' : 'ASC';
    return `${sql} ${way}${nullable ? ` NULLS ${backwards ? 'FIRST' : 'LAST'}` : ''}`;
  });
  return {
    // Not AS id: ORDER BY prefers the names of the output to columns, and would sort ids as text, 10 before 9.
    text: `SELECT ${list.id.sql}::text AS "rowId", ARRAY[${keys.map(asText).join(', ')}] AS place FROM ${list.from}
      WHERE ${conditions(where)} ORDER BY ${by.join(', ')} LIMIT ${take} OFFSET ${skip}`,
    values: parameters.values,
  };
}

/** SQL that counts the rows within the filter, up to `most`. */
export function countOfList<Filter>(list: OrderedList<never, Filter>, filter: Filter, most: number): TenantStatement {
  const parameters = new SqlParameters();
  const where = conditions(list.where(filter, parameters));
  return {
    text: `SELECT count(*) AS count FROM (SELECT FROM ${list.from} WHERE ${where} LIMIT ${most}) AS met`,
    values: parameters.values,
    countsList: true,
  };
}

/** The place that a cursor names; undefined if the order has no such place. */
export function readPlace<Field extends string>(
  list: OrderedList<Field, never>,
  order: Order<Field>,
  values: unknown,
): Place | undefined {
  const keys = sortKeys(list, order);
  if (!Array.isArray(values) || values.length !== keys.length) return undefined;
  const fits = keys.every((key, index) => {
    const value: unknown = values[index];
    return value === null ? key.nullable === true : typeof value === 'string' && isValue[key.type](value);
  });
  return fits ? (values as Place) : undefined;
}

const conditions = (where: readonly string[]): string => (where.length > 0 ? where.join(' AND ') : 'true');

const ascends = ({ direction }: Order<string>, reversed = false): boolean => (direction === 'ASC') !== reversed;

/** Columns hold whole milliseconds, which the epoch keeps exactly, in whatever style the session prints dates. */
const asText = ({ sql, type }: SortKey): string =>
  type === 'timestamptz' ? `(extract(epoch FROM ${sql}) * 1000)::bigint::text` : `${sql}::text`;

const toInstant = (value: string): Date => new Date(Number(value));

/** The values that Postgres can read as the type. Cursors are not signed, so their values are checked like any input. */
const isValue: Record<SortKey['type'], (value: string) => boolean> = {
  text: (value) => !value.includes('\0') && value.isWellFormed(),
  bigint: (value) => /^\d{1,18}$/.test(value),
  timestamptz(value) {
    if (!/^-?\d{1,15}$/.test(value)) return false;
    const year = toInstant(value).getUTCFullYear();
    return year >= 1 && year <= 9999;
  },
};

interface Side {
  order: Order<string>;
  side: 'after' | 'before';
  parameters: SqlParameters;
}

/**
 * The rows on one side of a place. Written as `key >= value AND (key > value OR ...)` instead of one row comparison, because sort keys may
 * have different directions; an index is searched by the first half.
 */
function beyond([key, ...keys]: readonly SortKey[], [value, ...values]: Place, given: Side): string {
  if (!key) return 'false';
  const { order, side, parameters } = given;
  const tied = beyond(keys, values, given);
  if (value == null)
    return side === 'after' ? `(${key.sql} IS NULL AND ${tied})` : `(${key.sql} IS NOT NULL OR ${tied})`;
  const sign = ascends(order, key.reversed) === (side === 'after') ? '>' : '<';
  const at = `${parameters.add(key.type === 'timestamptz' ? toInstant(value).toISOString() : value)}::${key.type}`;
  const past =
    keys.length > 0
      ? `(${key.sql} ${sign}= ${at} AND (${key.sql} ${sign} ${at} OR ${tied}))`
      : `${key.sql} ${sign} ${at}`;
  return key.nullable && side === 'after' ? `(${past} OR ${key.sql} IS NULL)` : past;
}
