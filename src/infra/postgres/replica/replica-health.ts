import type pg from 'pg';
import { isOutage, readOnlyState } from '#src/infra/postgres/outages.ts';
import { sqlState } from '#src/infra/postgres/sql-errors.ts';
import { isPrimaryError } from './primary-error.ts';

/** After a failure the replica is tried again this often, by a statement that nobody waits for. */
const retryMs = 1_000;
/** After a wait in vain, reads do not wait for this long. */
const lateMs = 500;
const lagMs = 1_000;

interface Lag {
  seconds: number;
  at: number;
}

/** Whether a replica answers, whether waiting for it helps, and how far it is behind. */
export class ReplicaHealth {
  readonly #pool: pg.Pool;
  readonly #onError: (error: Error) => void;
  readonly #newest: () => number | undefined;
  /** Until it has answered once, so that no reader waits for a replica that is not there. */
  #isAway = true;
  #lateUntil = 0;
  #asked = Number.NEGATIVE_INFINITY;
  #lag: Lag | undefined;

  /** `newest` is the last position of the primary that is known, in bytes. */
  constructor(pool: pg.Pool, onError: (error: Error) => void, newest: () => number | undefined) {
    this.#pool = pool;
    this.#onError = onError;
    this.#newest = newest;
  }

  /** False after an outage, until the replica has answered again. */
  isUsable(): boolean {
    if (performance.now() - this.#asked > (this.#isAway ? retryMs : lagMs)) void this.#ask();
    return !this.#isAway;
  }

  isLate(): boolean {
    return performance.now() < this.#lateUntil;
  }

  waitedInVain(): void {
    this.#lateUntil = performance.now() + lateMs;
  }

  failed(error: unknown): void {
    // A standby that refuses a write is healthy, and may be in use while the primary is away.
    if (!isOutage(error) || sqlState(error) === readOnlyState || isPrimaryError(error)) return;
    this.#isAway = true;
    this.#onError(error as Error);
  }

  /** As it was at the last question; undefined where the last has no answer. */
  lagSeconds(): number | undefined {
    return this.#lag && performance.now() - this.#lag.at < 10 * lagMs ? this.#lag.seconds : undefined;
  }

  async #ask(): Promise<void> {
    this.#asked = performance.now();
    try {
      const newest = this.#newest() ?? 0;
      const { rows } = await this.#pool.query<{ byte: number; age: number | null }>(
        `SELECT (pg_last_wal_replay_lsn() - '0/0')::float8 AS byte,
           extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8 AS age`,
      );
      const { byte, age } = rows[0] as { byte: number; age: number | null };
      // The age of the last commit says nothing on a primary that rests.
      this.#lag = { seconds: byte >= newest ? 0 : (age ?? 0), at: performance.now() };
      this.#isAway = false;
    } catch (error) {
      this.#lag = undefined;
      this.failed(error);
    }
  }
}
