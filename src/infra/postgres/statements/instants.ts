import pg from 'pg';

const int8 = 20;
const timestamptz = 1184;

/** Reads `bigint` as a number: ids stay below 2^53. */
export const plainNumbers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format)) as never,
};

/**
 * Reads `timestamptz` as the text that the API returns, without creating a Date, and `bigint` as a number. A list row has four instants; creating Dates for them costs as much as the rest of its parsing. Sessions run in
 * UTC (see database-pools.ts), so the text always ends in +00.
 */
export const isoInstants: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === timestamptz && format !== 'binary') return isoInstant;
    return plainNumbers.getTypeParser(oid, format);
  }) as never,
};

/** Converts Postgres's `2026-01-31 12:00:00.12+00` to `2026-01-31T12:00:00.120Z`. */
export function isoInstant(text: string): string {
  const fraction = text.length > 22 ? text.slice(20, -3) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}

/** The same in SQL, for JSON that the database makes. */
export const instantSql = (instant: string): string =>
  `to_char(${instant} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
