import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rangesOfPrefix } from '#src/infra/postgres/lists/number-prefixes.ts';
import { searchInput, searchKinds } from '#src/operations/search/search.inputs.ts';
import { bestHits, hasTrigrams, ranks, type SearchHit } from '#src/operations/search/search.rules.ts';

test('the numbers that begin with digits are those whose text begins with them', () => {
  const number = fc.integer({ min: 1, max: 10 ** 15 - 1 });
  fc.assert(
    fc.property(number, fc.integer({ min: 1, max: 99_999 }), (value, prefix) => {
      const within = rangesOfPrefix(String(prefix)).some(([low, high]) => low <= value && value <= high);
      expect(within).toBe(String(value).startsWith(String(prefix)));
    }),
  );
});

test.each(['', '0', '007', '1.5', '-1', '1e3', '12 ', '٣', '1'.repeat(16)])(
  '%o is the beginning of no number',
  (text) => {
    expect(rangesOfPrefix(text)).toEqual([]);
  },
);

test.each([
  ['mug', true, true],
  ['mu', false, false],
  ['größe', true, true],
  ['%_%', false, false],
  ['a-b', false, false],
  ['C-1', false, false],
  ['Привет', false, true],
  ['咖啡杯', false, true],
])('%s has trigrams where only ASCII has letters: %s; elsewhere: %s', (word, inAscii, inAll) => {
  expect([hasTrigrams(word, false), hasTrigrams(word, true)]).toEqual([inAscii, inAll]);
});

test('marks of direction and spaces around a text are left out of it', () => {
  expect(searchInput.parse({ text: '\u200f 1001\u202c ', first: 5 }).text).toBe('1001');
  expect(searchInput.safeParse({ text: ' \u200e ', first: 5 }).success).toBe(false);
});

describe('the best hits', () => {
  const hit = fc.record<SearchHit>({
    kind: fc.constantFrom(...searchKinds),
    id: fc.integer({ min: 1, max: 9 }),
    title: fc.constant(''),
    subtitle: fc.constant(''),
    rank: fc.constantFrom(...Object.values(ranks)),
  });
  const key = ({ kind, id }: SearchHit) => `${kind} ${id}`;

  test('hold each object once, by its best rank, the best first', () => {
    fc.assert(
      fc.property(fc.array(hit, { maxLength: 60 }), fc.integer({ min: 1, max: 50 }), (found, first) => {
        const best = bestHits(found, first);
        expect(new Set(best.map(key)).size).toBe(best.length);
        expect(best.length).toBe(Math.min(first, new Set(found.map(key)).size));
        expect(best.map(({ rank }) => rank)).toEqual(best.map(({ rank }) => rank).toSorted((a, b) => b - a));
        for (const one of best)
          expect(one.rank).toBe(Math.max(...found.filter((other) => key(other) === key(one)).map(({ rank }) => rank)));
      }),
    );
  });

  test('of one rank come from each kind in turn, so that no kind hides the others', () => {
    const found = (['product', 'order'] as const).flatMap((kind) =>
      [1, 2, 3].map((id): SearchHit => ({ kind, id, title: '', subtitle: '', rank: ranks.name })),
    );
    expect(bestHits(found, 4).map(key)).toEqual(['order 1', 'product 1', 'order 2', 'product 2']);
  });
});
