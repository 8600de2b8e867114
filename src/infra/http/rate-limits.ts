import { type Batcher, createBatcher } from '#src/infra/postgres/batching/batcher.ts';
import type { Database } from '#src/infra/postgres/database.ts';

/** The most requests within any second and within any minute; 0 means no limit. */
export interface Windows {
  perSecond: number;
  perMinute: number;
}

/** A bucket of `burst` requests that is refilled with `perSecond`; 0 a second means no limit. */
export interface Bucket {
  perSecond: number;
  burst: number;
}

/** The limit of each kind of subject. A kind that is not named has none. */
export type Rates = Readonly<Partial<Record<string, Windows | Bucket>>>;

export interface RateLimits {
  /**
   * Counts `cost` requests of a subject, all or none. The subject's name begins with its kind (`user/7`). Returns 0, or the milliseconds
   * until they would be admitted; refused requests are not counted. Throws during a database outage: without a count nothing may be
   * admitted, and the request would need the same database anyway.
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

/** True if any kind of subject has a limit. */
export const areLimited = (rates: Rates): boolean => Object.values(rates).some((rate) => rate && isLimit(rate));

const isLimit = (rate: Windows | Bucket): boolean => rate.perSecond > 0 || ('perMinute' in rate && rate.perMinute > 0);

/**
 * Limits that are exact across processes: each subject's counts are one row, and only the database's clock counts.
 * One statement counts all requests that arrive together. A refused subject is then refused locally, without a query, until
 * its time is up, so a flood costs the database nothing.
 */
export function createRateLimits(database: Database, rates: Rates): RateLimits {
  /** When each subject's next request may pass, by performance.now(). */
  const blocked = new Map<string, number>();
  const counters = new Map(
    Object.entries(rates).flatMap(([kind, rate]) =>
      rate && isLimit(rate) ? [[kind, createCounter(database, rate)]] : [],
    ),
  );

  function block(subject: string, waitMs: number): void {
    if (blocked.size >= rememberedBlocks) blocked.delete(blocked.keys().next().value as string);
    blocked.set(subject, performance.now() + waitMs);
  }

  return {
    async take(subject, cost) {
      const counter = counters.get(subject.slice(0, subject.indexOf('/')));
      if (!counter) return 0;
      const left = (blocked.get(subject) ?? 0) - performance.now();
      if (left > 0) return left;
      blocked.delete(subject);
      const waitMs = await counter.add({ subject, cost });
      // Other requests only add to the count, so nothing is admitted earlier; the wait of an expensive request does not apply to a cheap
      // one.
      if (waitMs > 0 && cost === 1) block(subject, waitMs);
      return waitMs;
    },
  };
}

function createCounter(database: Database, rate: Windows | Bucket): Batcher<Taking, number> {
  const [statement, limits] =
    'burst' in rate
      ? [
          { name: 'take-buckets', text: 'SELECT take_buckets($1::text[], $2::int[], $3, $4) AS waits' },
          [rate.perSecond, rate.burst],
        ]
      : [
          { name: 'take-rates', text: 'SELECT take_rates($1::text[], $2::int[], $3, $4) AS waits' },
          [rate.perSecond, rate.perMinute],
        ];
  return createBatcher({
    maxBatch,
    // Batches grow with the load; two concurrent ones would mostly be smaller and wait for the same rows.
    concurrency: 1,
    patienceMs: 0,
    async write(takings) {
      const subjects = takings.map(({ subject }) => subject);
      const costs = takings.map(({ cost }) => cost);
      const { rows } = await database.system.query<{ waits: number[] }>({
        ...statement,
        values: [subjects, costs, ...limits],
      });
      return rows[0]?.waits ?? [];
    },
  });
}

const sweepBatch = 1_000;
/** The most rows of one sweep; the next sweep continues. */
const sweepMost = 1_000_000;

/** Deletes counts that no longer limit anybody, in batches; returns the number of rows. */
export async function sweepRates({ system }: Database): Promise<number> {
  const past = [
    ['rate_windows', `tenth < extract(epoch FROM now() - interval '2 minutes') * 10`],
    ['rate_buckets', `full_at < extract(epoch FROM now() - interval '2 minutes') * 1000000`],
  ] as const;
  let swept = 0;
  for (const [table, condition] of past) {
    for (let batch = sweepBatch; batch === sweepBatch && swept < sweepMost; swept += batch) {
      const { rowCount } = await system.query({
        text: `DELETE FROM ${table} WHERE subject = ANY (ARRAY(
          SELECT subject FROM ${table} WHERE ${condition} LIMIT $1 FOR UPDATE SKIP LOCKED))`,
        values: [sweepBatch],
      });
      batch = rowCount ?? 0;
    }
  }
  return swept;
}
