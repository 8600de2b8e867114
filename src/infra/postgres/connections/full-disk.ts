import { sqlState } from '#src/infra/postgres/sql-errors.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

/** True when a statement failed because the server had no disk space. */
export const isDatabaseFull = (error: unknown): boolean => sqlState(error) === '53100';

/** Eight megabytes, in a temporary table that is dropped with its transaction. */
const probe = `CREATE TEMP TABLE room_probe ON COMMIT DROP AS
  SELECT repeat(md5(n::text), 60) AS filler FROM generate_series(1, 4096) AS n`;

/** If the server lets nobody create a temporary table, the disk counts as having room this long after the last refusal. */
const forgetMs = 30_000;

/**
 * Remembers that the server refused a write for lack of disk space, until it accepts a large write again. Small writes may fit at any time.
 */
export class DiskWatch {
  #refusedAt: number | undefined;
  #asking: Promise<boolean> | undefined;
  readonly #transact: (work: (tx: Tx) => Promise<unknown>) => Promise<unknown>;

  constructor(transact: (work: (tx: Tx) => Promise<unknown>) => Promise<unknown>) {
    this.#transact = transact;
  }

  refused(): void {
    this.#refusedAt = performance.now();
  }

  hasRoom(): Promise<boolean> {
    if (this.#refusedAt === undefined) return Promise.resolve(true);
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<boolean> {
    try {
      await this.#transact((tx) => tx.query(probe));
    } catch (error) {
      const isOld = performance.now() - (this.#refusedAt ?? 0) > forgetMs;
      if (isDatabaseFull(error) || !isOld) return false;
    }
    this.#refusedAt = undefined;
    return true;
  }
}
