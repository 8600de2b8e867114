import { createBatcher } from './postgres/batcher.ts';
import type { Database } from './postgres/database.ts';

/** How many requests in any second and in any minute; 0 is no limit. */
export interface Rates {
  perSecond: number;
  perMinute: number;
}

export interface RateLimits {
  /**
   * Counts `cost` requests of a subject (`user/7`), all or none. Answers 0, or after how many milliseconds they would pass; what
   * is refused is not counted. Throws while the database is away: who cannot count must not admit, and what a request
   * would do next needs the same database.
   */
  take(subject: string, cost: number): Promise<number>;
}

interface Taking {
  subject: string;
  cost: number;
}

const rememberedBlocks = 10_000;
/** Takings in one statement. */
const maxBatch = 500;

/**
 * Sliding windows, right across processes: each subject's counts are one row, and the database's clock is the only one. What
 * arrives together is counted by one statement. Whoever is refused is refused here until then, without asking again, so that
 * a flood costs the database nothing.
 */
export function createRateLimits(database: Database, { perSecond, perMinute }: Rates): RateLimits {
  /** Until when not even one request passes, by performance.now(). */
  const blocked = new Map<string, number>();

  const batcher = createBatcher<Taking, number>({
    maxBatch,
    // Batches grow with the load; two at a time would mostly be smaller, and wait for the same rows.
    concurrency: 1,
    async write(takings) {
      const subjects = takings.map(({ subject }) => subject);
      const costs = takings.map(({ cost }) => cost);
      const { rows } = await database.system.query<{ waits: number[] }>({
        name: 'take-rates',
        text: 'SELECT take_rates($1::text[], $2::int[], $3, $4) AS waits',
        values: [subjects, costs, perSecond, perMinute],
      });
      return rows[0]?.waits ?? [];
    },
  });

  function block(subject: string, waitMs: number): void {
    if (blocked.size >= rememberedBlocks) blocked.delete(blocked.keys().next().value as string);
    blocked.set(subject, performance.now() + waitMs);
  }

  return {
    async take(subject, cost) {
      const left = (blocked.get(subject) ?? 0) - performance.now();
      if (left > 0) return left;
      blocked.delete(subject);
      const waitMs = await batcher.add({ subject, cost });
      // Others only add to the windows, so nothing passes before; a dearer request says nothing of a cheap one.
      if (waitMs > 0 && cost === 1) block(subject, waitMs);
      return waitMs;
    },
  };
}

const sweepBatch = 1_000;
/** Rows of one sweep; the next goes on. */
const sweepMost = 1_000_000;

/** Deletes what no window reaches any more, in batches; answers how many rows. */
export async function sweepRates({ system }: Database): Promise<number> {
  let swept = 0;
  for (let batch = sweepBatch; batch === sweepBatch && swept < sweepMost; swept += batch) {
    const { rowCount } = await system.query({
      text: `DELETE FROM rate_windows WHERE subject = ANY (ARRAY(
        SELECT subject FROM rate_windows WHERE tenth < extract(epoch FROM now() - interval '2 minutes') * 10
        LIMIT $1 FOR UPDATE SKIP LOCKED))`,
      values: [sweepBatch],
    });
    batch = rowCount ?? 0;
  }
  return swept;
}
