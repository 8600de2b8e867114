import { describe, expect, test } from 'vitest';
import { createBatcher, createLanes } from '#src/infra/postgres/batcher.ts';

/** A batcher whose batches are written when the test says so. */
function batcherByHand({ concurrency = 3, patienceMs = 10_000 } = {}) {
  const batches: { items: string[]; finish: () => void; fail: (error: Error) => void }[] = [];
  const batcher = createBatcher<string, string>({
    write: (items) => {
      const { promise, resolve, reject } = Promise.withResolvers<string[]>();
      batches.push({ items, finish: () => resolve(items.map((item) => item.toUpperCase())), fail: reject });
      return promise;
    },
    maxBatch: 3,
    concurrency,
    patienceMs,
  });
  return { batcher, batches, untilBatches: (many: number) => expect.poll(() => batches).toHaveLength(many) };
}

describe('a batcher', () => {
  test('writes what arrives together at once, and what arrives meanwhile as the next batch', async () => {
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

  test('begins another batch beside one that takes long, up to its limit', async () => {
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
});

test('lanes write side by side, and what has the same key in one batch', async () => {
  const batches: string[][] = [];
  const lanes = createLanes<string, string>(
    { lanes: 2, keyOf: (item) => item.slice(0, 1) },
    {
      async write(items) {
        batches.push(items);
        return items.map((item) => item.toUpperCase());
      },
      maxBatch: 10,
      concurrency: 1,
      patienceMs: 0,
    },
  );
  expect(await Promise.all(['a1', 'b1', 'a2', 'b2'].map((item) => lanes.add(item)))).toEqual(['A1', 'B1', 'A2', 'B2']);
  expect(batches).toHaveLength(2);
  expect(batches).toContainEqual(['a1', 'a2']);
  expect(batches).toContainEqual(['b1', 'b2']);
  await lanes.drain();
});
