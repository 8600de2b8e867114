import { describe, expect, test } from 'vitest';
import { createLookup } from '#src/infra/postgres/lookup.ts';

/** A lookup whose reads end when the test says so. */
function lookupByHand() {
  const reads: { items: string[]; finish: () => void }[] = [];
  const ask = createLookup<string, string>({
    keyOf: (item) => item,
    read: (items) => {
      const { promise, resolve } = Promise.withResolvers<string[]>();
      reads.push({ items, finish: () => resolve(items.map((item) => `${item}${reads.length}`)) });
      return promise;
    },
  });
  return { ask, reads, untilReads: (many: number) => expect.poll(() => reads).toHaveLength(many) };
}

describe('a lookup', () => {
  test('reads once for all who ask for the same before it begins', async () => {
    const { ask, reads, untilReads } = lookupByHand();
    const asked = [ask('a'), ask('b'), ask('a')];
    await untilReads(1);
    reads[0]?.finish();
    expect(await Promise.all(asked)).toEqual(['a1', 'b1', 'a1']);
    expect(reads[0]?.items).toEqual(['a', 'b']);
  });

  test('reads again for those who ask while it reads, since what they ask for may have changed', async () => {
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
});
