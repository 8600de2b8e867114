import { ValidationError } from '#src/infra/errors.ts';

/** The parameters of a statement that is built from parts, in the order they are added. */
export class SqlParameters {
  readonly values: unknown[] = [];

  /** Returns the placeholder for the value in the SQL: `$1`. */
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

const longestSearch = 191;

/**
 * A parameter for ILIKE that finds text anywhere in a column; `%`, `_` and a backslash match themselves. Throws a ValidationError for a
 * search that is too long.
 */
export function containing(search: string, parameters: SqlParameters): string {
  if (search.length > longestSearch) {
    throw new ValidationError({ search: [`Search for at most ${longestSearch} characters.`] });
  }
  return parameters.add(`%${search.replace(/[\\%_]/g, '\\$&')}%`);
}

/** The condition that one of the columns contains the text, in any case. */
export function contains(columns: readonly string[], search: string, parameters: SqlParameters): string {
  const pattern = containing(search, parameters);
  return `(${columns.map((column) => `${column} ILIKE ${pattern}`).join(' OR ')})`;
}
