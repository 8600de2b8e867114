import { describe, expect, test, vi } from 'vitest';
import { createLookup } from '#src/infra/postgres/batching/lookup.ts';
import { OutageError } from '#src/infra/postgres/outages.ts';

/** A lookup whose reads end when the test says so. */
function lookupByHand() {
  const reads: { items: string[]; finish: () => void; fail: () => void }[] = [];
  const ask = createLookup<string, string>({
    toKey: (item) => item,
    read: (items) => {
      const { promise, resolve, reject } = Promise.withResolvers<string[]>();
      const finish = () => resolve(items.map((item) => `${item}${reads.length}`));
      reads.push({ items, finish, fail: () => reject(new OutageError('away')) });
      return promise;
    },
  });
  return { ask, reads, untilReads: (many: number) => expect.poll(() => reads).toHaveLength(many) };
}

describe('a lookup', () => {
  test('reads once for all callers that ask for the same before it begins', async () => {
    const { ask, reads, untilReads } = lookupByHand();
    const asked = [ask('a'), ask('b'), ask('a')];
    await untilReads(1);
    reads[0]?.finish();
    expect(await Promise.all(asked)).toEqual(['a1', 'b1', 'a1']);
    expect(reads[0]?.items).toEqual(['a', 'b']);
  });

  test('reads again for callers that ask during a read, because the data may have changed', async () => {
    const { ask, reads, untilReads } = lookupByHand();
    const early = ask('a');
    await untilReads(1);
    const late = [ask('a'), ask('a')];
    reads[0]?.finish();
    expect(await early).toBe('a1');
    await untilReads(2);
    reads[1]?.finish();
    expect(await Promise.all(late)).toEqual(['a2', 'a2']);
    expect(reads[1]?.items).toEqual(['a']);
  });

  test('reads again after an outage, also for callers that waited behind a read that never began', async () => {
    vi.useFakeTimers();
    try {
      const { ask, reads } = lookupByHand();
      const answer = (item: string) => ask(item).catch((error: Error) => error.message);
      const refused = [answer('a')];
      await vi.advanceTimersByTimeAsync(3);
      // A second read begins beside the first; what is asked after that waits behind both.
      refused.push(answer('b'));
      await vi.advanceTimersByTimeAsync(10);
      refused.push(answer('a'), answer('c'), answer('c'));
      await vi.advanceTimersByTimeAsync(1_500);
      for (const { fail } of reads) fail();
      expect(await Promise.all(refused)).toEqual(Array(5).fill('away'));
      expect(reads.map(({ items }) => items)).toEqual([['a'], ['b']]);

      const asked = ['a', 'b', 'c'].map(answer);
      await vi.advanceTimersByTimeAsync(10);
      reads.at(-1)?.finish();
      expect(await Promise.all(asked)).toEqual(['a3', 'b3', 'c3']);
    } finally {
      vi.useRealTimers();
    }
  });
});
