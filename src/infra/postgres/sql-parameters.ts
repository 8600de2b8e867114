/** The parameters of a statement that is built from parts, in the order they are added. */
export class SqlParameters {
  readonly values: unknown[] = [];

  /** Returns the placeholder for the value in the SQL: `$1`. */
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}
