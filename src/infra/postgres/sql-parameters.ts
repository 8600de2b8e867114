/** The values of a statement that is put together from parts, in the order they are added. */
export class SqlParameters {
  readonly values: unknown[] = [];

  /** Answers what stands for the value in the text: `$1`. */
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}
