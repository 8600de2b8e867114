import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { type JournalEntry, LeaseLostError, writeJournal } from '#src/automation/runs/engine/run-journal.service.ts';
import type { RunDeps } from '#src/automation/runs/live/live-runs.service.ts';
import { createRepeatedWarning } from '#src/infra/logs/repeated-warning.ts';
import { sqlState } from '#src/infra/postgres/sql-errors.ts';
import type { Lease } from './lease.ts';

const maxBatch = 400;
const firstRetryMs = 50;
const maxRetryMs = 1_000;

interface Waiting {
  entry: JournalEntry;
  resolve: () => void;
  reject: (error: unknown) => void;
}

const warnOfWrite = createRepeatedWarning('The journal could not be written; retrying.');

/** Classes of Postgres errors that the entry itself causes, so that a retry would fail the same way. */
const permanentErrors = /^(22|23|42|54)/;

/**
 * The group commit of a worker. Entries are committed in the order they are appended; those that arrive during a commit go into
 * the next one. While the database cannot be reached, a commit is retried until the lease is lost.
 */
export class Journal {
  readonly #deps: RunDeps;
  readonly #workerId: string;
  readonly #lease: Lease;
  readonly #onLeaseLost: (error: unknown) => void;
  #waiting: Waiting[] = [];
  #writing = false;
  #lost: LeaseLostError | undefined;

  constructor(options: { deps: RunDeps; workerId: string; lease: Lease; onLeaseLost: (error: unknown) => void }) {
    this.#deps = options.deps;
    this.#workerId = options.workerId;
    this.#lease = options.lease;
    this.#onLeaseLost = options.onLeaseLost;
  }

  /** Resolves once the entry is durable. Rejects with LeaseLostError when it never will be. */
  append(entry: JournalEntry): Promise<void> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ entry, resolve, reject });
      if (this.#writing) return;
      this.#writing = true;
      setImmediate(() => void this.#pump());
    });
  }

  async #pump(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, maxBatch);
      try {
        await this.#write(batch.map(({ entry }) => entry));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        if (error instanceof LeaseLostError) this.#lose(error, batch);
        else if (batch.length === 1) batch[0]?.reject(error);
        // One bad entry must not fail the runs of the others.
        else for (const single of batch) await this.#writeAlone(single);
      }
      // The runs that waited for this commit go on first, so that their next entries are in the next one: half as many commits.
      await nextTurn();
    }
    this.#writing = false;
  }

  async #writeAlone(single: Waiting): Promise<void> {
    try {
      await this.#write([single.entry]);
      single.resolve();
    } catch (error) {
      if (error instanceof LeaseLostError) this.#lose(error, [single]);
      else single.reject(error);
    }
  }

  async #write(entries: JournalEntry[]): Promise<void> {
    let pause = firstRetryMs;
    for (;;) {
      try {
        return await this.#lease.under(() => writeJournal(this.#deps, this.#workerId, entries));
      } catch (error) {
        const state = sqlState(error);
        if (error instanceof LeaseLostError || this.#lost !== undefined || (state && permanentErrors.test(state)))
          throw error;
        warnOfWrite(this.#deps.log, error);
        await delay(pause);
        pause = Math.min(pause * 2, maxRetryMs);
      }
    }
  }

  #lose(error: LeaseLostError, batch: Waiting[]): void {
    this.#lost = error;
    for (const { reject } of [...batch, ...this.#waiting.splice(0)]) reject(error);
    this.#onLeaseLost(error);
  }
}
