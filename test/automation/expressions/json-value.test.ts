import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expressionLimits } from '#src/automation/expressions/budget.ts';
import { checkSize } from '#src/automation/expressions/json-value.ts';

const nested = (levels: number, innermost: unknown): unknown =>
  levels === 0 ? innermost : { a: nested(levels - 1, innermost) };

test('a shared part counts each time it occurs, wherever the limit is reached', () => {
  const measureLength = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 8 + (typeof value === 'string' ? value.length : 0);
    return Object.values(value).reduce<number>((sum, member) => sum + measureLength(member), 8);
  };
  const parts = fc.array(fc.array(fc.nat(), { maxLength: 4 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(parts, fc.integer({ min: -1, max: 1 }), (rows, off) => {
      // Each part is made of earlier ones.
      const made: unknown[] = [Array.from({ length: 9_000 }, (_, n) => n)];
      for (const row of rows) {
        const members = row.map((n) => made[n % made.length]);
        made.push(members.length % 2 === 0 ? members : Object.fromEntries(members.entries()));
      }
      const value = [made.at(-1), made.at(-1)];
      const rest = expressionLimits.value - measureLength([value, '']) + off;
      fc.pre(rest >= 0);
      const check = () => checkSize([value, 'x'.repeat(rest)]);
      if (off > 0) expect(check).toThrow('too large a value');
      else expect(check).not.toThrow();
    }),
    { numRuns: 60 },
  );
});

test.each([
  [0, false],
  [1, true],
])('a large part that is found again nests as deep as where it is found: with %i levels too many', (more, refused) => {
  const part = nested(49, [Array.from({ length: 9_000 }, () => 1)]);
  const check = () => checkSize([part, nested(48 + more, part)]);
  if (refused) expect(check).toThrow(`nests more than ${expressionLimits.depth} levels`);
  else expect(check).not.toThrow();
});
