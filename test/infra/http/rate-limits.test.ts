import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Bucket, createRateLimits, type Rates, sweepRates, type Windows } from '#src/infra/http/rate-limits.ts';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { isOutage } from '#src/infra/postgres/outages.ts';
import { cloneDatabase } from '#test/setup/database.ts';

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let database: Database;
beforeAll(async () => {
  clone = await cloneDatabase();
  database = openDatabase({ url: clone.url, poolSize: 8 });
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});

const contract: Windows = { perSecond: 30, perMinute: 300 };
const bucket: Bucket = { perSecond: 100, burst: 200 };
const start = Date.UTC(2026, 10, 20, 12);

/** Milliseconds to wait for each of `costs`, asked at `at`, milliseconds after `start`. */
async function takeAt(at: number, subject: string, costs: number[], rates = contract): Promise<number[]> {
  const { rows } = await database.system.query<{ waits: number[] }>(
    'SELECT take_rates($1::text[], $2::int[], $3, $4, $5::timestamptz) AS waits',
    [costs.map(() => subject), costs, rates.perSecond, rates.perMinute, new Date(start + at)],
  );
  return rows[0]?.waits ?? [];
}

const admitted = (waits: number[]): number => waits.filter((wait) => wait === 0).length;
const ones = (many: number): number[] => Array.from({ length: many }, () => 1);

describe('take_rates', () => {
  test('lets 30 of a second pass and refuses the 31st until the first of them are a second old', async () => {
    expect(await takeAt(0, 'edge', ones(30))).toEqual(ones(30).map(() => 0));
    const [wait = 0] = await takeAt(950, 'edge', [1]);
    expect(wait).toBeGreaterThan(0);
    expect(await takeAt(950 + wait - 1, 'edge', [1])).not.toEqual([0]);
    expect(950 + wait).toBeGreaterThanOrEqual(1_000);
    expect(950 + wait).toBeLessThanOrEqual(1_100);
    expect(admitted(await takeAt(950 + wait, 'edge', ones(31)))).toBe(30);
  });

  test('lets 300 of a minute pass and refuses the 301st until the first second of them is a minute old', async () => {
    for (let second = 0; second < 10; second++) {
      expect(admitted(await takeAt(second * 1_100, 'minute', ones(30)))).toBe(30);
    }
    const [wait = 0] = await takeAt(30_000, 'minute', [1]);
    expect(wait).toBe(31_000);
    expect(await takeAt(30_000 + wait - 1, 'minute', [1])).toEqual([1]);
    expect(admitted(await takeAt(30_000 + wait, 'minute', ones(31)))).toBe(30);
    expect(admitted(await takeAt(30_000 + wait + 50, 'minute', ones(1)))).toBe(0);
  });

  test('does not let twice as many pass around the turn of a second or a minute', async () => {
    expect(admitted(await takeAt(59_990, 'turn', ones(30)))).toBe(30);
    expect(admitted(await takeAt(60_010, 'turn', ones(30)))).toBe(0);
    expect(admitted(await takeAt(60_900, 'turn', ones(30)))).toBe(0);
  });

  test('does not count what it refuses', async () => {
    await takeAt(0, 'refused', ones(30));
    for (let at = 100; at < 1_000; at += 100) expect(admitted(await takeAt(at, 'refused', ones(50)))).toBe(0);
    expect(admitted(await takeAt(1_200, 'refused', ones(31)))).toBe(30);
  });

  test('admits an expensive request completely or not at all, and one above the limit when the window is empty', async () => {
    expect(await takeAt(0, 'dear', [25])).toEqual([0]);
    const [dear = 0, cheap] = await takeAt(10, 'dear', [10, 5]);
    expect(dear).toBeGreaterThan(0);
    expect(cheap).toBe(0);
    expect(admitted(await takeAt(20, 'dear', [1_000]))).toBe(0);
    expect(await takeAt(2_000, 'dear', [1_000])).toEqual([0]);
    expect(admitted(await takeAt(2_000, 'dear', [1]))).toBe(0);
  });

  test('has no limit for a value of 0, and applies the other', async () => {
    expect(admitted(await takeAt(0, 'no second', ones(301), { perSecond: 0, perMinute: 300 }))).toBe(300);
    expect(admitted(await takeAt(0, 'no minute', ones(301), { perSecond: 30, perMinute: 0 }))).toBe(30);
    expect(admitted(await takeAt(60_000, 'no minute', ones(30), { perSecond: 30, perMinute: 0 }))).toBe(30);
    expect(admitted(await takeAt(0, 'none', ones(1_000), { perSecond: 0, perMinute: 0 }))).toBe(1_000);
  });

  test('keeps counting when the clock goes back a little, and starts over when it was set back', async () => {
    await takeAt(100_000, 'back', ones(30));
    expect(admitted(await takeAt(99_000, 'back', [1]))).toBe(0);
    expect(admitted(await takeAt(-3_600_000, 'back', [1]))).toBe(1);
  });

  test('admits no more than the limits in any window, refuses only when they are reached, and admits at the time it names', async () => {
    let subject = 0;
    const step = fc.record({
      pauseMs: fc.oneof(fc.nat(150), fc.nat(2_000), fc.nat(70_000)),
      costs: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 }),
      obeys: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.record({ perSecond: fc.integer({ min: 4, max: 9 }), perMinute: fc.integer({ min: 4, max: 40 }) }),
        fc.array(step, { maxLength: 30 }),
        async (rates, steps) => {
          const name = `law ${(subject += 1)}`;
          const passed: { at: number; cost: number }[] = [];
          const spent = (from: number): number =>
            passed.reduce((sum, { at, cost }) => (at > from ? sum + cost : sum), 0);
          let now = 0;
          for (const { pauseMs, costs, obeys } of steps) {
            now += pauseMs;
            const waits = await takeAt(now, name, costs, rates);
            for (const [index, cost] of costs.entries()) {
              if (waits[index] === 0) passed.push({ at: now, cost });
              expect(spent(now - 1_000)).toBeLessThanOrEqual(rates.perSecond);
              expect(spent(now - 60_000)).toBeLessThanOrEqual(rates.perMinute);
              if (waits[index] === 0) continue;
              const isFull =
                spent(now - 1_100) + cost > rates.perSecond || spent(now - 61_000) + cost > rates.perMinute;
              expect(isFull).toBe(true);
            }
            const last = costs.at(-1) ?? 1;
            const wait = waits.at(-1) ?? 0;
            if (!obeys || wait === 0) continue;
            now += wait;
            expect(await takeAt(now, name, [last], rates)).toEqual([0]);
            passed.push({ at: now, cost: last });
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('take_buckets', () => {
  async function takeAt(
    at: number,
    subject: string,
    costs: number[],
    { perSecond, burst } = bucket,
  ): Promise<number[]> {
    const { rows } = await database.system.query<{ waits: number[] }>(
      'SELECT take_buckets($1::text[], $2::int[], $3, $4, $5::timestamptz) AS waits',
      [costs.map(() => subject), costs, perSecond, burst, new Date(start + at)],
    );
    return rows[0]?.waits ?? [];
  }

  test('lets a burst of 200 pass, then one every 10 ms', async () => {
    expect(admitted(await takeAt(0, 'burst', ones(250)))).toBe(200);
    expect(await takeAt(0, 'burst', [1])).toEqual([10]);
    expect(await takeAt(9, 'burst', [1])).toEqual([1]);
    expect(admitted(await takeAt(10, 'burst', ones(2)))).toBe(1);
    expect(admitted(await takeAt(1_010, 'burst', ones(200)))).toBe(100);
    expect(admitted(await takeAt(60_000, 'burst', ones(300)))).toBe(200);
  });

  test('admits what the arithmetic of the bucket admits, at any times and costs', async () => {
    let subject = 0;
    const step = fc.record({
      pauseMs: fc.oneof(fc.nat(40), fc.nat(3_000)),
      costs: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.record({ perSecond: fc.constantFrom(1, 4, 20, 100), burst: fc.integer({ min: 1, max: 12 }) }),
        fc.array(step, { maxLength: 30 }),
        async (limits, steps) => {
          const name = `bucket ${(subject += 1)}`;
          // In thousandths of a request, of which each millisecond brings `perSecond`.
          let held = limits.burst * 1_000;
          let now = 0;
          for (const { pauseMs, costs } of steps) {
            now += pauseMs;
            held = Math.min(limits.burst * 1_000, held + pauseMs * limits.perSecond);
            const expected = costs.map((cost) => {
              // A request that costs more than the bucket holds passes when it is full.
              const due = Math.min(cost, limits.burst) * 1_000;
              if (due > held) return Math.ceil((due - held) / limits.perSecond);
              held -= due;
              return 0;
            });
            expect(await takeAt(now, name, costs, limits)).toEqual(expected);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('rate limits', () => {
  test('are of the kind of the subject, and a kind without one has none', async () => {
    const limits = createRateLimits(database, { user: { perSecond: 0, perMinute: 30 }, tenant: bucket });
    const countAdmitted = async (subject: string) =>
      admitted(await Promise.all(ones(260).map((cost) => limits.take(subject, cost))));
    expect(await countAdmitted('user/kinds')).toBe(30);
    const burst = await countAdmitted('tenant/kinds');
    expect(burst).toBeGreaterThanOrEqual(200);
    expect(burst).toBeLessThan(260);
    expect(await countAdmitted('other/kinds')).toBe(260);
  });

  /** A window that does not pass while a test asks. */
  const minutely: Rates = { user: { perSecond: 0, perMinute: 30 } };

  test('count subjects separately, and several processes together', async () => {
    const [here, there] = [createRateLimits(database, minutely), createRateLimits(database, minutely)];
    const asked = Array.from({ length: 200 }, (_, index) => (index % 2 ? here : there));
    const waits = await Promise.all(asked.map((limits) => limits.take('user/1', 1)));
    expect(admitted(waits)).toBe(30);
    expect(await here.take('user/2', 1)).toBe(0);
    expect(Math.max(...waits)).toBeLessThanOrEqual(61_000);
  });

  test('do not query the database for a subject that is refused until later', async () => {
    const limits = createRateLimits(database, { user: { perSecond: 0, perMinute: 1 } });
    await limits.take('user/3', 1);
    const wait = await limits.take('user/3', 1);
    expect(wait).toBeGreaterThan(0);
    // Forgotten there, and still refused here.
    await database.system.query('DELETE FROM rate_windows');
    const left = await limits.take('user/3', 1);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(wait);
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + wait);
    onTestFinished(() => clock.mockRestore());
    expect(await limits.take('user/3', 1)).toBe(0);
  });

  test('never wait for one another, in whatever order they name their subjects', async () => {
    const limits = [1, 2, 3, 4].map(() => createRateLimits(database, { many: { perSecond: 0, perMinute: 1_000_000 } }));
    const names = Array.from({ length: 40 }, (_, index) => `many/${index}`);
    const rounds = Array.from({ length: 20 }, (_, round) =>
      limits.map((each, process) => {
        const order = (round + process) % 2 ? names : names.toReversed();
        return Promise.all(order.map((name) => each.take(name, 1)));
      }),
    );
    expect(admitted((await Promise.all(rounds.flat())).flat())).toBe(20 * 4 * 40);
    const { rows } = await database.system.query(
      `SELECT (SELECT sum(n) FROM unnest(seconds) n)::int AS used FROM rate_windows WHERE subject LIKE 'many/%'`,
    );
    expect(rows).toEqual(names.map(() => ({ used: 80 })));
  });

  test('throw while the database cannot be reached', async () => {
    const gone = openDatabase({ url: 'postgresql://nobody@127.0.0.1:1/nowhere', poolSize: 2 });
    await expect(createRateLimits(gone, { user: contract }).take('user/4', 1)).rejects.toSatisfy(isOutage);
    await gone.close();
  });

  test('are cleared of counts that no window includes any more', async () => {
    await database.system.query('DELETE FROM rate_windows; DELETE FROM rate_buckets');
    await database.system.query(
      `INSERT INTO rate_windows SELECT 'old/' || n, extract(epoch FROM now() - interval '3 minutes') * 10, '{}', '{}'
       FROM generate_series(1, 2500) n`,
    );
    await createRateLimits(database, { user: contract, tenant: bucket }).take('user/5', 1);
    await database.system.query(
      `INSERT INTO rate_buckets SELECT 'old/' || n, extract(epoch FROM now() - interval '3 minutes') * 1000000
       FROM generate_series(1, 1500) n`,
    );
    expect(await sweepRates(database)).toBe(4_000);
    const { rows } = await database.system.query(
      'SELECT subject FROM rate_windows UNION ALL SELECT subject FROM rate_buckets',
    );
    expect(rows).toEqual([{ subject: 'user/5' }]);
  });
});
