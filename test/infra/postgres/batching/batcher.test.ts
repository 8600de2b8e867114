import { describe, expect, test, vi } from 'vitest';
import { createBatcher } from '#src/infra/postgres/batching/batcher.ts';
import { OutageError } from '#src/infra/postgres/outages.ts';

/** A batcher whose batches are written when the test says so. */
function batcherByHand({ concurrency = 3, patienceMs = 10_000, maxBatch = 3, gatherMs = 0 } = {}) {
  const batches: { items: string[]; finish: () => void; fail: (error: Error) => void }[] = [];
  const batcher = createBatcher<string, string>({
    write: (items) => {
      const { promise, resolve, reject } = Promise.withResolvers<string[]>();
      batches.push({ items, finish: () => resolve(items.map((item) => item.toUpperCase())), fail: reject });
      return promise;
    },
    maxBatch,
    concurrency,
    patienceMs,
    gatherMs,
  });
  return { batcher, batches, untilBatches: (many: number) => expect.poll(() => batches).toHaveLength(many) };
}

describe('a batcher', () => {
  test('writes items that arrive together immediately, and later ones as the next batch', async () => {
    const { batcher, batches, untilBatches } = batcherByHand();
    const first = [batcher.add('a'), batcher.add('b')];
    await untilBatches(1);
    const next = [batcher.add('c'), batcher.add('d')];
    batches[0]?.finish();
    expect(await Promise.all(first)).toEqual(['A', 'B']);
    await untilBatches(2);
    batches[1]?.finish();
    expect(await Promise.all(next)).toEqual(['C', 'D']);
    expect(batches.map(({ items }) => items)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  test('starts another batch beside a slow one, up to its limit', async () => {
    const { batcher, batches, untilBatches } = batcherByHand({ concurrency: 2, patienceMs: 20 });
    const slow = batcher.add('slow');
    await untilBatches(1);
    const begun = performance.now();
    const [quick, third] = [batcher.add('quick'), batcher.add('b')];
    await untilBatches(2);
    expect(performance.now() - begun).toBeGreaterThan(15);
    const waiting = batcher.add('c');
    batches[1]?.finish();
    expect(await Promise.all([quick, third])).toEqual(['QUICK', 'B']);
    await untilBatches(3);
    batches[2]?.finish();
    batches[0]?.finish();
    expect(await Promise.all([slow, waiting])).toEqual(['SLOW', 'C']);
    await batcher.drain();
  });

  test('spaces batches after a large one, but not after a small one', async () => {
    const begun: number[] = [];
    const batcher = createBatcher<number, number>({
      write: (items) => {
        begun.push(performance.now());
        return Promise.resolve(items);
      },
      maxBatch: 10,
      concurrency: 2,
      patienceMs: 10_000,
      spacing: { items: 2, ms: 60 },
    });
    await Promise.all([batcher.add(1), batcher.add(2)]);
    await batcher.add(3);
    await batcher.add(4);
    const [many = 0, spaced = 0, next = 0] = begun;
    expect(spaced - many).toBeGreaterThanOrEqual(59);
    expect(next - spaced).toBeLessThan(59);
  });

  test('repeats a failed batch one by one, so that a bad item fails alone', async () => {
    const { batcher, batches, untilBatches } = batcherByHand();
    const [good, bad] = [batcher.add('good'), batcher.add('bad').catch((error: Error) => error.message)];
    await untilBatches(1);
    batches[0]?.fail(new Error('One of the two is bad.'));
    await untilBatches(2);
    batches[1]?.finish();
    await untilBatches(3);
    batches[2]?.fail(new Error('It is bad.'));
    expect(await good).toBe('GOOD');
    expect(await bad).toBe('It is bad.');
  });

  test.each([
    [900, ['a', 'b']],
    [1_100, ['a']],
  ])('lets what waits behind an outage of %s ms fail with it where that was long', async (ms, written) => {
    vi.useFakeTimers();
    try {
      const { batcher, batches } = batcherByHand();
      const answer = (item: string) => batcher.add(item).catch((error: Error) => error.message);
      const first = answer('a');
      await vi.advanceTimersByTimeAsync(10);
      const next = answer('b');
      await vi.advanceTimersByTimeAsync(ms);
      batches[0]?.fail(new OutageError('away'));
      await vi.advanceTimersByTimeAsync(10);
      batches[1]?.finish();
      expect([await first, await next]).toEqual(['away', written.length > 1 ? 'B' : 'away']);
      expect(batches.map(({ items }) => items.join(''))).toEqual(written);
      await batcher.drain();
    } finally {
      vi.useRealTimers();
    }
  });

  test('gathers items after a batch of several for half as long as it took, but not after a single item', async () => {
    vi.useFakeTimers();
    try {
      const { batcher, batches } = batcherByHand({ gatherMs: 10 });
      const after = (ms: number) => vi.advanceTimersByTimeAsync(ms);
      const written = () => batches.map(({ items }) => items.join(''));
      const finish = async (ms: number) => {
        await after(ms);
        batches.at(-1)?.finish();
        await after(0);
      };
      void batcher.add('a');
      void batcher.add('b');
      await finish(12);
      void batcher.add('c');
      await after(5);
      expect(written()).toEqual(['ab']);
      void batcher.add('d');
      await after(2);
      expect(written()).toEqual(['ab', 'cd']);
      // No longer than its limit.
      await finish(1_000);
      void batcher.add('e');
      await after(9);
      expect(written()).toEqual(['ab', 'cd']);
      await after(2);
      expect(written()).toEqual(['ab', 'cd', 'e']);
      await finish(1_000);
      void batcher.add('f');
      await after(1);
      expect(written()).toEqual(['ab', 'cd', 'e', 'f']);
      await finish(1);
    } finally {
      vi.useRealTimers();
    }
  });
});
