import { createBatcher } from './postgres/batcher.ts';
import type { Database } from './postgres/database.ts';

/** The most requests within any second and within any minute; 0 means no limit. */
export interface Rates {
  perSecond: number;
  perMinute: number;
}

export interface RateLimits {
  /**
   * Counts `cost` requests of a subject (`user/7`), all or none. Returns 0, or the milliseconds until they would be admitted;
   * refused requests are not counted. Throws during a database outage: without a count nothing may be admitted, and the
   * request would need the same database anyway.
   */
  take(subject: string, cost: number): Promise<number>;
}

interface Taking {
  subject: string;
  cost: number;
}

const rememberedBlocks = 10_000;
/** The most counts in one statement. */
const maxBatch = 500;

/**
 * Sliding windows that are exact across processes: each subject's counts are one row, and only the database's clock counts.
 * One statement counts all requests that arrive together. A refused subject is then refused locally, without a query, until
 * its time is up, so a flood costs the database nothing.
 */
export function createRateLimits(database: Database, { perSecond, perMinute }: Rates): RateLimits {
  /** When each subject's next request may pass, by performance.now(). */
  const blocked = new Map<string, number>();

  const batcher = createBatcher<Taking, number>({
    maxBatch,
    // Batches grow with the load; two at a time would mostly be smaller and wait for the same rows.
    concurrency: 1,
    patienceMs: 0,
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
      // Other requests only add to the windows, so nothing passes earlier; an expensive request says nothing about a cheap one.
      if (waitMs > 0 && cost === 1) block(subject, waitMs);
      return waitMs;
    },
  };
}

const sweepBatch = 1_000;
/** The most rows of one sweep; the next sweep continues. */
const sweepMost = 1_000_000;

/** Deletes rows older than every window, in batches; returns how many. */
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
