import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkFieldValues, fieldValues, publicValues } from '#src/automation/node-api/field-values.rules.ts';
import type { ConfigField } from '#src/automation/node-api/manifest.ts';
import { measureCpuTime } from '#test/setup/cpu-time.ts';

const check = (field: Omit<ConfigField, 'key'>, value: unknown, options = {}): string[] =>
  checkFieldValues([{ key: 'a', ...field }], { a: value }, options).map(({ message }) => message);

test.each([
  [{ type: 'string' }, 'x', 1, /text/],
  [{ type: 'string', pattern: '^[a-z]+$' }, 'abc', 'ABC', /must match/],
  [{ type: 'secret' }, 'x', {}, /text/],
  [{ type: 'text' }, 'x', 'x'.repeat(70_000), /longer/],
  [{ type: 'url' }, 'https://example.com', 'javascript:alert(1)', /URL/],
  [{ type: 'url', pattern: '^https:' }, 'https://example.com', 'http://example.com', /must match/],
  [{ type: 'url' }, 'https://example.com/@a', 'https://user:word@example.com', /user name or password/],
  [{ type: 'number' }, 1.5, '1.5', /number/],
  [{ type: 'boolean' }, false, 'false', /true or false/],
  [{ type: 'select', options: [{ value: 'a' }, { value: 2 }] }, 2, '2', /one of "a", 2/],
  [{ type: 'credentials-ref' }, 12, { id: 12 }, /credential/],
  [{ type: 'string', required: true }, 'x', '', /required/],
  [{ type: 'string', required: true, label: 'Token' }, 'x', null, /"Token" is required/],
] as const)('%j takes %j and refuses %j', (field, good, bad, message) => {
  expect(check(field as unknown as ConfigField, good)).toEqual([]);
  expect(check(field as unknown as ConfigField, bad)).toEqual([expect.stringMatching(message)]);
});

test('an expression is valid for any type only where expressions are allowed', () => {
  expect(check({ type: 'number' }, '{{ trigger.payload.n }}', { expressions: true })).toEqual([]);
  expect(check({ type: 'number' }, '{{ trigger.payload.n }}')).toHaveLength(1);
});

test('a long text is matched against patterns only within a time limit', async () => {
  const costly = { type: 'text', pattern: '^(?:[a-z]?){1000}[0-9]$' } as const;
  expect(check(costly, 'abc1')).toEqual([]);
  expect(check(costly, 'a'.repeat(65_536))).toEqual([expect.stringMatching(/too long to be matched against/)]);
  const fields = Array.from({ length: 40 }, (_, index) => ({ key: `f${index}`, ...costly }));
  const values = Object.fromEntries(fields.map(({ key }) => [key, 'a'.repeat(4_000)]));
  let faults: ReturnType<typeof checkFieldValues> = [];
  const taken = await measureCpuTime(() => (faults = checkFieldValues(fields, values)));
  expect(taken).toBeLessThan(8_000);
  expect(faults.map(({ message }) => message).filter((message) => message.includes('too long'))).toHaveLength(38);
});

test('a pattern is compiled once for all items of a list', async () => {
  const items = { key: 'item', type: 'string', pattern: '^(?:\\pL{1000})?$' } as const;
  const list = Array.from({ length: 5_000 }, () => '');
  let faults: string[] = ['not checked'];
  const taken = await measureCpuTime(() => (faults = check({ type: 'list', items }, list)));
  expect(faults).toEqual([]);
  expect(taken).toBeLessThan(3_000);
});

test('a form of costly patterns is checked only within a limit, even if its values are empty', () => {
  const fields = Array.from({ length: 500 }, (_, n): ConfigField => ({
    key: `f${n}`,
    type: 'text',
    pattern: `^(?:\\pL{1000}${n})?$`,
  }));
  const value = Object.fromEntries(fields.map(({ key }) => [key, '']));
  expect(check({ type: 'object', fields }, value)).toContainEqual(expect.stringMatching(/too long to be matched/));
});

test('a long list is compared with shapes only within a limit', () => {
  const field = { key: 'shape', type: 'list', items: { key: 'item', type: 'boolean' } } as const;
  const variants = Array.from({ length: 50 }, (_, n) => ({ name: `shape ${n}`, field }));
  const list: unknown[] = Array.from({ length: 10_000 }, () => true);
  expect(check({ type: 'variant', variants }, list)).toEqual([]);
  expect(check({ type: 'variant', variants }, [...list, 1])).toEqual([expect.stringMatching(/must be one of these/)]);
  expect(check({ type: 'variant', variants }, [...list, ...list, ...list, 1])).toEqual([
    expect.stringMatching(/too large to be compared/),
  ]);
});

test('a pattern that would backtrack exponentially is matched quickly', () => {
  const field = { type: 'string', pattern: '^(a+)+$' } as const;
  expect(check(field, `${'a'.repeat(50_000)}!`)).toHaveLength(1);
});

test('no message and no public value repeats a secret', () => {
  const fields: ConfigField[] = [
    { key: 'token', type: 'secret', pattern: '^$' },
    { key: 'url', type: 'url' },
  ];
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{12,40}$/), (token) => {
      const values = { token, url: 'https://example.com', other: token };
      expect(JSON.stringify(checkFieldValues(fields, values))).not.toContain(token);
      expect(publicValues(fields, values)).toEqual({ url: 'https://example.com' });
    }),
  );
});

test('values are the declared fields with their defaults, without inherited members', () => {
  const fields: ConfigField[] = [
    { key: 'a', type: 'number', default: 1 },
    { key: 'b', type: 'number' },
    { key: 'constructor', type: 'json' },
  ];
  expect(fieldValues(fields, { b: 2, c: 3 })).toEqual({ a: 1, b: 2 });
});
