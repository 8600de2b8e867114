import { NodeError } from '#src/automation/node-api/node-error.ts';

/** The most bytes of rows. Below the 4 MiB that the outputs of a step may take. */
export const maxRowBytes = 3.5 * 1024 * 1024;

/** Throws a NodeError for columns of one name, of which a row would keep only the last. */
export function assertDistinct(names: readonly string[]): void {
  const seen = new Set<string>();
  const twice = names.find((name) => seen.size === seen.add(name).size);
  if (twice === undefined) return;
  throw new NodeError(
    'SQL_COLUMNS',
    `The result has two columns named ${JSON.stringify(twice.slice(0, 64))}. Name each column of the statement differently with AS.`,
  );
}

export const tooLarge = (limit: string): NodeError =>
  new NodeError(
    'SQL_TOO_LARGE',
    `The result is over ${limit}. Ask for less (LIMIT), put it into a file, or set on_limit to "stop" to go on with what fits.`,
  );

/** Collects rows up to a count and a size, so that a large result is never in memory as a whole. */
export class RowCollector {
  readonly rows: Record<string, unknown>[] = [];
  isTruncated = false;
  readonly #limits: { maxRows: number; stops: boolean };
  #bytes = 0;

  /** If `stops` is true, a result that is too large is cut off; otherwise it is an error. */
  constructor(limits: { maxRows: number; stops: boolean }) {
    this.#limits = limits;
  }

  /** Adds a row. Returns false if no more rows are wanted. Throws a NodeError for a result that is too large. */
  add(row: Record<string, unknown>): boolean {
    if (this.isTruncated) return false;
    const bytes = Buffer.byteLength(JSON.stringify(row)) + 1;
    const { maxRows, stops } = this.#limits;
    if (this.rows.length < maxRows && this.#bytes + bytes <= maxRowBytes) {
      this.#bytes += bytes;
      this.rows.push(row);
      return true;
    }
    const limit = this.rows.length < maxRows ? '3.5 MiB' : `${maxRows} rows`;
    if (!stops) throw tooLarge(limit);
    this.isTruncated = true;
    return false;
  }
}
