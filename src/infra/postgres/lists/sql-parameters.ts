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

/** The text within a pattern for ILIKE, where `%`, `_` and a backslash match themselves. Throws a ValidationError if it is too long. */
export function literalPattern(search: string): string {
  if (search.length > longestSearch) {
    throw new ValidationError({ search: [`Search for at most ${longestSearch} characters.`] });
  }
  return search.replace(/[\\%_]/g, '\\$&');
}

/** A parameter for ILIKE that finds text anywhere in a column. Throws a ValidationError for a search that is too long. */
export const containing = (search: string, parameters: SqlParameters): string =>
  parameters.add(`%${literalPattern(search)}%`);

/** The condition that one of the columns contains the text, in any case. */
export function contains(columns: readonly string[], search: string, parameters: SqlParameters): string {
  const pattern = containing(search, parameters);
  return `(${columns.map((column) => `${column} ILIKE ${pattern}`).join(' OR ')})`;
}
