import fc from 'fast-check';
import { expect, test } from 'vitest';
import { measureCpuTime } from '#test/setup/cpu-time.ts';
import { SecretFilter } from '#workers/runtime/redaction.ts';

test('the start of a secret before a truncation is removed as well', () => {
  const word = fc.string({ minLength: 5, maxLength: 12, unit: fc.constantFrom('a', 'b') });
  fc.assert(
    fc.property(word, fc.string({ maxLength: 20, unit: fc.constantFrom('a', 'b', 'c') }), (secret, before) => {
      for (let kept = 4; kept < secret.length; kept += 1) {
        const filter = new SecretFilter();
        filter.learn(secret);
        const clean = filter.clean(before + secret, before.length + kept);
        const ends = Array.from({ length: secret.length - 4 }, (_, more) => secret.slice(0, more + 4));
        expect(ends.some((end) => clean.endsWith(end))).toBe(false);
        expect(clean).toContain('[redacted]');
      }
    }),
  );
});

test('a truncation elsewhere removes nothing more', () => {
  const filter = new SecretFilter();
  filter.learn('hunter22');
  expect(filter.clean('an ordinary line of a log', 10)).toBe('an ordinar');
  expect(filter.clean('a line with hunt', 16)).toBe('a line with [redacted]');
  expect(filter.clean('a line with hunt', 17)).toBe('a line with hunt');
});

test('a node cannot make redaction slow', async () => {
  const filter = new SecretFilter();
  filter.learn(`${'a'.repeat(9_000)}b`);
  const line = `${'a'.repeat(8_191)}c`;
  const taken = await measureCpuTime(() => {
    for (let number = 0; number < 100; number += 1) filter.clean(line, line.length);
  });
  expect(taken).toBeLessThan(1_000);
});
