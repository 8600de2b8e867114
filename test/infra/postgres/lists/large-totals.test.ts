import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LargeTotals } from '#src/infra/postgres/lists/large-totals.ts';
import type { TenantStatement } from '#src/infra/postgres/statements/tenant-query.ts';

const statement: TenantStatement & { text: string } = {
  text: 'SELECT count(*) AS count FROM movements WHERE sku = $1',
  values: ['A', 7n],
  countsList: true,
};

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function usedHeap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** A list that has one more count each time. */
const counter = (counts: number[]) => async () => [{ count: counts.shift() ?? 0 }];

describe('A total of a list', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  test.for([
    { name: 'that is small is counted each time', counts: [9_999, 5], waitMs: 0, shown: [9_999, 5] },
    {
      name: 'that is large is shown again for ten seconds',
      counts: [10_000, 10_001],
      waitMs: 9_999,
      shown: [10_000, 10_000],
    },
    {
      name: 'that is large and older is counted again',
      counts: [10_000, 10_001],
      waitMs: 10_000,
      shown: [10_000, 10_001],
    },
  ])('$name', async ({ counts, waitMs, shown }) => {
    const totals = new LargeTotals();
    const run = counter(counts);
    const first = await totals.apply('acme', statement, run);
    vi.advanceTimersByTime(waitMs);
    const second = await totals.apply('acme', statement, run);
    expect([first, second]).toEqual(shown.map((count) => [{ count }]));
  });

  test('is one of its tenant, its statement and its values', async () => {
    const totals = new LargeTotals();
    const run = counter([10_000, 20_000, 30_000, 40_000]);
    const asked: [string, TenantStatement][] = [
      ['acme', statement],
      ['other', statement],
      ['acme', { ...statement, values: ['B', 7n] }],
      ['acme', { ...statement, text: `${statement.text} LIMIT 100000` }],
    ];
    const shown = [];
    for (const [tenantId, one] of [...asked, ...asked]) shown.push((await totals.apply(tenantId, one, run))[0]?.count);
    expect(shown).toEqual([10_000, 20_000, 30_000, 40_000, 10_000, 20_000, 30_000, 40_000]);
  });

  test('that is too old is counted once for all who ask at the same time, and its failure is not kept', async () => {
    const totals = new LargeTotals();
    await totals.apply('acme', statement, counter([50_000]));
    vi.advanceTimersByTime(20_000);
    const failing = vi.fn<() => Promise<never>>(() => Promise.reject(new Error('away')));
    const asked = Array.from({ length: 5 }, () => totals.apply('acme', statement, failing));
    for (const one of asked) await expect(one).rejects.toThrow('away');
    expect(failing).toHaveBeenCalledTimes(1);
    expect(await totals.apply('acme', statement, counter([60_000]))).toEqual([{ count: 60_000 }]);
  });

  test('takes no memory for the values that it was asked with', async () => {
    const totals = new LargeTotals();
    const run = () => Promise.resolve([{ count: 50_000 }]);
    const before = usedHeap();
    for (let asked = 0; asked < 40; asked++)
      await totals.apply('acme', { ...statement, values: [`${asked}`.padEnd(1_000_000, '-')] }, run);
    expect(usedHeap() - before).toBeLessThan(10_000_000);
    expect(await totals.apply('acme', { ...statement, values: ['0'.padEnd(1_000_000, '-')] }, counter([1]))).toEqual([
      { count: 50_000 },
    ]);
  });

  test('is not what other statements answer', async () => {
    const run = counter([50_000, 60_000]);
    const totals = new LargeTotals();
    const plain = { text: 'SELECT 1' };
    expect(await totals.apply('acme', plain, run)).toEqual([{ count: 50_000 }]);
    expect(await totals.apply('acme', plain, run)).toEqual([{ count: 60_000 }]);
  });
});
