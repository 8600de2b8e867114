import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedactor } from '#src/infra/logs/redact.ts';
import { cpuTimeOf } from '#test/setup/cpu-time.ts';

test('a known secret is replaced everywhere, and nothing else', () => {
  const redactor = createRedactor();
  redactor.add('hunter22');
  expect(redactor.text('hunter22 and hunter2 and xhunter22x')).toBe('[redacted] and hunter2 and x[redacted]x');
});

test('no secret, whatever its characters, is left in a text, a URL, JSON or base64 that holds it', () => {
  const secret = fc.string({ minLength: 4, maxLength: 60, unit: 'grapheme' }).filter((text) => text.trim().length >= 4);
  fc.assert(
    fc.property(secret, fc.string({ maxLength: 20 }), (value, around) => {
      const redactor = createRedactor();
      redactor.add(value);
      const texts = [
        value,
        encodeURIComponent(value),
        JSON.stringify({ value }),
        Buffer.from(value).toString('base64'),
      ];
      for (const text of texts) expect(redactor.text(`${around}|${text}|`)).toContain('[redacted]');
    }),
  );
});

test('no secret is left in the base64 of a longer text, whatever surrounds it', () => {
  const secret = fc.string({ minLength: 8, maxLength: 60, unit: 'grapheme-ascii' });
  const around = fc.string({ maxLength: 20 });
  fc.assert(
    fc.property(secret, around, around, fc.constantFrom('base64', 'base64url'), (value, before, after, encoding) => {
      const redactor = createRedactor();
      redactor.add(value);
      const clean = redactor.text(Buffer.from(before + value + after).toString(encoding));
      const [head = '', tail = ''] = clean.split('[redacted]');
      expect(clean).toContain('[redacted]');
      // At its edges are the neighbours, and at most six bits of the secret.
      expect(head.length).toBeLessThanOrEqual(Math.ceil((Buffer.byteLength(before) * 4) / 3));
      expect(tail.replace(/=+$/, '').length).toBeLessThanOrEqual(Math.ceil((Buffer.byteLength(after) * 4) / 3) + 1);
    }),
  );
});

test('if one secret is a prefix of another, the longer one is removed completely', () => {
  const redactor = createRedactor();
  redactor.add('abcd');
  redactor.add('abcdefgh');
  expect(redactor.text('abcdefgh abcd')).toBe('[redacted] [redacted]');
});

test('a secret is literal text, not a pattern', () => {
  const redactor = createRedactor();
  redactor.add('a.c$(1+1)[x]^');
  expect(redactor.text('abc$(1+1)[x]^ a.c$(1+1)[x]^')).toBe('abc$(1+1)[x]^ [redacted]');
});

test('values under four characters are ignored', () => {
  const redactor = createRedactor();
  for (const short of ['', 'a', 'abc']) redactor.add(short);
  expect(redactor.text('a abc')).toBe('a abc');
});

test('the number of secrets is bounded; the one added longest ago makes room', () => {
  const redactor = createRedactor({ maxSecrets: 2 });
  for (const secret of ['first-secret', 'second-secret', 'first-secret', 'third-secret']) redactor.add(secret);
  expect(redactor.text('first-secret second-secret third-secret')).toBe('[redacted] second-secret [redacted]');
});

test('secrets of any length and number are found', () => {
  const redactor = createRedactor();
  const secrets = Array.from({ length: 200 }, (_, number) => `${number}.${randomBytes(48 * 1024).toString('base64')}`);
  for (const secret of secrets) redactor.add(secret);
  for (const secret of [secrets[0], secrets[99], secrets[199]] as string[]) {
    expect(redactor.text(`before ${secret} after`)).toBe('before [redacted] after');
    expect(redactor.text(secret.slice(0, -1))).toBe(secret.slice(0, -1));
  }
});

test('a text full of prefixes of long secrets costs one pass as well', async () => {
  const redactor = createRedactor();
  for (let number = 0; number < 100; number += 1) redactor.add(`${'a'.repeat(60_000 + number)}b`);
  const text = 'a'.repeat(200_000);
  expect(await cpuTimeOf(() => expect(redactor.text(text)).toBe(text))).toBeLessThan(3_000);
});

test('of overlapping secrets the leftmost is removed first, and of those the longest', () => {
  const words = fc.array(fc.string({ minLength: 4, maxLength: 8, unit: fc.constantFrom('a', 'b') }), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(words, fc.string({ maxLength: 60, unit: fc.constantFrom('a', 'b', 'c') }), (secrets, text) => {
      const redactor = createRedactor();
      for (const secret of secrets) redactor.add(secret);
      const longestFirst = secrets.toSorted((a, b) => b.length - a.length);
      expect(redactor.text(text)).toBe(text.replace(new RegExp(longestFirst.join('|'), 'g'), '[redacted]'));
    }),
  );
});

test('a thousand secrets cost one pass', async () => {
  const redactor = createRedactor();
  for (let number = 0; number < 1_000; number += 1) redactor.add(`secret-${number}-${'x'.repeat(32)}`);
  const text = 'an ordinary line of a log, without any. '.repeat(2_500);
  redactor.text('compiled');
  const taken = await cpuTimeOf(() => expect(redactor.text(text)).toBe(text));
  expect(taken).toBeLessThan(1_000);
});
