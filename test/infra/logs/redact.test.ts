import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedactor } from '#src/infra/logs/redact.ts';
import { measureCpuTime } from '#test/setup/cpu-time.ts';

test('a known secret is replaced everywhere, and nothing else', () => {
  const redactor = createRedactor();
  redactor.add('hunter22');
  expect(redactor.text('hunter22 and hunter2 and xhunter22x')).toBe('[redacted] and hunter2 and x[redacted]x');
});

test('no secret, whatever its characters, is left in a text, a URL, JSON or base64 that contains it', () => {
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

test('no secret is left in base64 of base64, whatever surrounds it in either', () => {
  const secret = fc.string({ minLength: 8, maxLength: 60, unit: 'grapheme-ascii' });
  const around = fc.string({ maxLength: 20 });
  const kinds = fc.constantFrom('base64', 'base64url');
  fc.assert(
    fc.property(secret, around, around, kinds, kinds, (value, before, outside, inner, outer) => {
      const redactor = createRedactor();
      redactor.add(value);
      const once = Buffer.from(`${before}${value}`).toString(inner);
      const [head = '', ...rest] = redactor.text(Buffer.from(outside + once).toString(outer)).split('[redacted]');
      expect(rest).toHaveLength(1);
      // At its edges are the neighbours, and at most six bits of the secret, encoded once more.
      const neighbours = Math.ceil((Buffer.byteLength(before) * 4) / 3) + Buffer.byteLength(outside);
      expect(head.length).toBeLessThanOrEqual(Math.ceil((neighbours * 4) / 3));
      expect((rest[0] ?? '').length).toBeLessThanOrEqual(8);
    }),
  );
});

const encodeAll = (text: string, keep = /[a-z0-9]/i) =>
  Array.from(text, (char) => (keep.test(char) ? char : encodeURIComponent(char).toLowerCase())).join('');
const ascii = (json: string) =>
  json.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const json = (text: string) => JSON.stringify(text).slice(1, -1);
const xml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');
const base64 = (text: string) => Buffer.from(text).toString('base64');

test.each<[name: string, (text: string) => string]>([
  ['a URL', encodeURIComponent],
  ['a URL in small letters', (text) => encodeURIComponent(text).replaceAll(/%../g, (part) => part.toLowerCase())],
  [
    'a URL where every sign is encoded',
    (text) => encodeAll(text).replaceAll(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`),
  ],
  ['a URL where few signs are encoded', encodeURI],
  ['a form', (text) => new URLSearchParams({ text }).toString()],
  ['a URL in a URL', (text) => encodeURIComponent(encodeURIComponent(text))],
  ['JSON', json],
  ['JSON with escaped slashes', (text) => json(text).replaceAll('/', '\\/')],
  ['JSON in ASCII', (text) => ascii(json(text))],
  ['JSON in JSON', (text) => json(ascii(json(text)))],
  ['JSON in JSON in JSON', (text) => json(json(json(text)))],
  ['JSON in a URL', (text) => encodeURIComponent(ascii(json(text)))],
  ['XML', xml],
  ['XML in JSON', (text) => json(xml(text))],
  ['base64', base64],
  ['base64 of JSON', (text) => base64(JSON.stringify({ text }))],
  ['base64 of a form', (text) => base64(new URLSearchParams({ text }).toString())],
  ['base64 in a URL', (text) => encodeURIComponent(base64(`user:${text}`))],
  ['base64 in lines', (text) => base64(`user:${text}`).replaceAll(/.{16}/g, '$&\r\n')],
])('no secret is left in %s', (_name, encode) => {
  for (const secret of [
    'hunter2/Zq&"9<x>ä corr-ECT!(horse)~42',
    'C:\\new\\table "x" \u{1f512}+%2f',
    "it's\ntwo lines",
  ]) {
    const redactor = createRedactor();
    redactor.add(secret);
    const clean = redactor.text(`before ${encode(secret)} after`);
    expect(clean).toMatch(/^before .{0,12}\[redacted\].{0,12} after$/s);
    expect(clean.length).toBeLessThan(45);
  }
});

test('text before a secret does not hide it', () => {
  const redactor = createRedactor();
  redactor.add('nothing-4711');
  for (const before of ['\\', '%2', '&#3', '\\u00'])
    expect(redactor.text(`${before}nothing-4711 &`)).toBe(`${before}[redacted] &`);
});

test('a text without secrets stays as it is, escapes and all', () => {
  const redactor = createRedactor();
  redactor.add('hunter22');
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('%', '2', '5', '\\', 'u', '0', 'n', '&', 'amp;', '+', '\n', 'ä') }),
      (text) => {
        expect(redactor.text(text)).toBe(text);
      },
    ),
  );
});

test('if one secret is a prefix of another, the longer one is removed completely', () => {
  const redactor = createRedactor();
  redactor.add('abcd');
  redactor.add('abcdefgh');
  expect(redactor.text('abcdefgh abcd')).toBe('[redacted] [redacted]');
});

test.each<[name: string, escape: (text: string) => string]>([
  ['a URL', encodeURIComponent],
  ['JSON', (text) => JSON.stringify(text).slice(1, -1)],
  ['XML', (text) => text.replaceAll('"', '&quot;')],
])('if one secret is a part of another that is escaped for %s, the longer one is removed completely', (_, escape) => {
  const redactor = createRedactor();
  const whole = 'begin"middle"end-4711';
  for (const secret of ['begin', 'middle', 'end-4711', whole]) redactor.add(secret);
  expect(redactor.text(`a ${escape(whole)} b`)).toBe('a [redacted] b');
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
  const secrets = Array.from({ length: 50 }, (_, number) => `${number}.${randomBytes(48 * 1024).toString('base64')}`);
  for (const secret of secrets) redactor.add(secret);
  for (const secret of [secrets[0], secrets[24], secrets[49]] as string[]) {
    expect(redactor.text(`before ${secret} after`)).toBe('before [redacted] after');
    expect(redactor.text(secret.slice(0, -1))).toBe(secret.slice(0, -1));
  }
});

test('a text full of prefixes of long secrets costs one pass as well', async () => {
  const redactor = createRedactor();
  for (let number = 0; number < 100; number += 1) redactor.add(`${'a'.repeat(60_000 + number)}b`);
  const text = 'a'.repeat(100_000);
  expect(await measureCpuTime(() => expect(redactor.text(text)).toBe(text))).toBeLessThan(3_000);
});

test('nothing is left of overlapping secrets', () => {
  const words = fc.array(fc.string({ minLength: 4, maxLength: 8, unit: fc.constantFrom('a', 'b') }), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(words, fc.string({ maxLength: 60, unit: fc.constantFrom('a', 'b', 'c') }), (secrets, text) => {
      const redactor = createRedactor();
      for (const secret of secrets) redactor.add(secret);
      const isSecret = Array.from(text, () => false);
      for (const secret of secrets)
        for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1))
          isSecret.fill(true, at, at + secret.length);
      const rest = Array.from(text, (char, at) => (isSecret[at] ? ' ' : char)).join('');
      expect(redactor.text(text).replaceAll('[redacted]', ' ').replaceAll(/ +/g, ' ')).toBe(
        rest.replaceAll(/ +/g, ' '),
      );
    }),
  );
});

test('a thousand secrets cost one pass', async () => {
  const redactor = createRedactor();
  for (let number = 0; number < 1_000; number += 1) redactor.add(`secret-${number}-${'x'.repeat(32)}`);
  const text = 'an ordinary line of a log, without any. '.repeat(2_500);
  redactor.text('compiled');
  const taken = await measureCpuTime(() => expect(redactor.text(text)).toBe(text));
  expect(taken).toBeLessThan(1_000);
});

test('a text full of escapes costs one pass as well', async () => {
  const redactor = createRedactor();
  redactor.add('hunter22');
  for (const unit of ['%25', '\\\\', '&amp;', '%255c', 'ä%20', '\\u005c']) {
    const text = unit.repeat(Math.floor((512 * 1024) / unit.length));
    expect(await measureCpuTime(() => expect(redactor.text(text)).toBe(text))).toBeLessThan(500);
  }
});
