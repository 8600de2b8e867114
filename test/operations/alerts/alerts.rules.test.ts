import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alertKinds } from '#src/operations/alerts/alert-recipients.inputs.ts';
import { type AlertItem, countIn, emptyContent, maxItems, mergeContent } from '#src/operations/alerts/alerts.rules.ts';

const items = fc.array(
  fc.record({
    group: fc.nat(80),
    kind: fc.constantFrom(...alertKinds),
    count: fc.integer({ min: 1, max: 1_000 }),
    minute: fc.nat(59),
  }),
  { maxLength: 120, size: 'max' },
);

const toItem = ({
  group,
  kind,
  count,
  minute,
}: typeof items extends fc.Arbitrary<(infer One)[]> ? One : never): AlertItem => {
  const at = `2026-11-29T10:${String(minute).padStart(2, '0')}:00.000Z`;
  return {
    key: `${kind}/${group}`,
    kind,
    subjectId: group,
    title: 'T',
    errorGroupId: null,
    count,
    message: null,
    firstAt: at,
    lastAt: at,
  };
};

test('merged contents lose no failure, list a group once, and stay small', () => {
  fc.assert(
    fc.property(fc.array(items, { maxLength: 6 }), (batches) => {
      const contents = batches.map((batch) => batch.map(toItem));
      const earlier = new Set<string>();
      let merged = emptyContent;
      for (const batch of contents) {
        merged = mergeContent(merged, batch, earlier);
        for (const { key } of batch) earlier.add(key);
      }
      expect(merged.items.length + merged.moreGroups).toBe(earlier.size);
      expect(countIn(merged)).toBe(contents.flat().reduce((sum, { count }) => sum + count, 0));
      expect(merged.items.length).toBeLessThanOrEqual(maxItems);
      expect(new Set(merged.items.map(({ key }) => key)).size).toBe(merged.items.length);
      const firsts = merged.items.map(({ firstAt }) => firstAt);
      expect(firsts).toEqual(firsts.toSorted());
      for (const { firstAt, lastAt } of merged.items) expect(firstAt <= lastAt).toBe(true);
    }),
  );
});

test('a group keeps the message of its first failure and takes the time of its last', () => {
  const base = { kind: 'failed_runs', key: 'a', subjectId: 1, title: 'Orders', errorGroupId: null } as const;
  const one = {
    ...base,
    count: 2,
    message: 'first',
    firstAt: '2026-01-01T00:00:00.000Z',
    lastAt: '2026-01-01T00:01:00.000Z',
  };
  const two = {
    ...base,
    count: 3,
    message: 'second',
    firstAt: '2026-01-02T00:00:00.000Z',
    lastAt: '2026-01-02T00:00:00.000Z',
  };
  expect(mergeContent(mergeContent(emptyContent, [one]), [two]).items).toEqual([
    { ...one, count: 5, lastAt: two.lastAt },
  ]);
});
