import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { type NotHeld, recordedStep } from '#src/automation/runs/held-runs.store.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import { createRepeatedWarning } from '#src/infra/logs/repeated-warning.ts';
import { observations } from '#src/infra/observations/observations.ts';
import { sqlState } from '#src/infra/postgres/sql-errors.ts';
import type { Lease } from './lease.ts';
import { recordCommitSpan } from './spans.ts';
import type { RunUnderWay } from './types.ts';
import { type StepLogEntry, LeaseLostError, RunNotHeldError, writeStepLog } from './write-step-log.ts';

const maxBatch = 400;
const firstRetryMs = 50;
const maxRetryMs = 1_000;

interface Waiting {
  held: RunUnderWay;
  entry: StepLogEntry;
  resolve: () => void;
  reject: (error: unknown) => void;
}

const warnOfWrite = createRepeatedWarning('The step log could not be written; retrying.');

/** Classes of Postgres errors that the entry itself causes, so that a retry would fail the same way. */
const permanentErrors = /^(22|23|42|54)/;

/**
 * The group commit of a worker. Entries are committed in the order they are appended; those that arrive during a commit go into
 * the next one. While the database cannot be reached, a commit is retried until the lease is lost.
 */
export class StepLog {
  readonly #deps: Pick<Deps, 'database' | 'log' | 'tracing'> & RunQueue;
  readonly #workerId: string;
  readonly #lease: Lease;
  readonly #onLeaseLost: (error: unknown) => void;
  readonly #onNotHeld: (run: RunUnderWay, found: NotHeld) => void;
  #waiting: Waiting[] = [];
  #writing = false;
  #lost: LeaseLostError | undefined;

  constructor(options: {
    deps: Pick<Deps, 'database' | 'log' | 'tracing'> & RunQueue;
    workerId: string;
    lease: Lease;
    onLeaseLost: (error: unknown) => void;
    /** Stops a run whose entries were dropped. */
    onNotHeld: (run: RunUnderWay, found: NotHeld) => void;
  }) {
    this.#deps = options.deps;
    this.#workerId = options.workerId;
    this.#lease = options.lease;
    this.#onLeaseLost = options.onLeaseLost;
    this.#onNotHeld = options.onNotHeld;
  }

  /** Resolves once the entry is durable. Rejects with LeaseLostError or RunNotHeldError when it never will be. */
  append(held: RunUnderWay, entry: StepLogEntry): Promise<void> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ held, entry, resolve, reject });
      if (this.#writing) return;
      this.#writing = true;
      setImmediate(() => void this.#pump());
    });
  }

  async #pump(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, maxBatch);
      try {
        await this.#write(batch);
      } catch (error) {
        if (error instanceof LeaseLostError) this.#lose(error, batch);
        else if (batch.length === 1) batch[0]?.reject(error);
        // One bad entry must not fail the runs of the others.
        else for (const single of batch) await this.#writeAlone(single);
      }
      // The runs that waited for this commit continue first, so that their next entries are in the next one: half as many commits.
      await nextTurn();
    }
    this.#writing = false;
  }

  async #writeAlone(single: Waiting): Promise<void> {
    try {
      await this.#write([single]);
    } catch (error) {
      if (error instanceof LeaseLostError) this.#lose(error, [single]);
      else single.reject(error);
    }
  }

  /** Writes entries until they are durable, and settles them. */
  async #write(batch: Waiting[]): Promise<void> {
    let pause = firstRetryMs;
    for (;;) {
      const began = performance.now();
      try {
        const dropped = await this.#lease.under((server) => {
          // A run may be found not to be held while its entries wait.
          const entries = batch.filter(({ held }) => held.isHeld);
          return writeStepLog(this.#deps, { workerId: this.#workerId, server }, entries);
        });
        const ms = performance.now() - began;
        observations.stepsCommitted.tell({ entries: batch.length, ms });
        recordCommitSpan(this.#deps.tracing, batch, ms);
        for (const [run, found] of dropped) this.#onNotHeld(run as RunUnderWay, found);
        for (const waiting of batch) settle(waiting);
        return;
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

function settle({ held, entry, resolve, reject }: Waiting): void {
  if (!held.isHeld) return reject(new RunNotHeldError());
  if (entry.kind === 'step') held.recorded = recordedStep(entry.step);
  resolve();
}
