import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';

function readMessages(schema: z.ZodType, value: unknown, prefix?: string): unknown {
  try {
    return parseInput(schema, value, prefix);
  } catch (error) {
    return error instanceof ValidationError ? error.fields : error;
  }
}

const cases: [string, z.ZodType, unknown, string][] = [
  ['left out', z.string(), undefined, 'The field name is required.'],
  ['a choice left out', z.enum(['a', 'b']), undefined, 'The field name is required.'],
  ['a union left out', z.union([z.string(), z.number()]), undefined, 'The field name is required.'],
  ['null', z.string(), null, 'The field name must be a string.'],
  ['a number for a string', z.string(), 1, 'The field name must be a string.'],
  ['a string for a number', z.number(), '1', 'The field name must be a number.'],
  ['a string for a boolean', z.boolean(), 'yes', 'The field name must be true or false.'],
  ['an object for a list', z.array(z.string()), {}, 'The field name must be a list.'],
  ['a list for an object', z.object({}), [], 'The field name must be an object.'],
  ['a list for a record', z.record(z.string(), z.string()), [], 'The field name must be an object.'],
  ['a fraction', z.int(), 1.5, 'The field name must be a whole number.'],
  ['an empty string', z.string().min(1), '', 'The field name must not be empty.'],
  ['a short string', z.string().min(3), 'ab', 'The field name must have at least 3 characters.'],
  ['a long string', z.string().max(1_000), 'a'.repeat(1_001), 'The field name must have at most 1,000 characters.'],
  ['a string of another length', z.string().length(2), 'abc', 'The field name must have exactly 2 characters.'],
  ['an empty list', z.array(z.string()).min(1), [], 'The field name must not be empty.'],
  ['a long list', z.array(z.string()).max(1), ['a', 'b'], 'The field name must have at most 1 item.'],
  ['a small number', z.number().min(1), 0, 'The field name must be at least 1.'],
  ['a number at an open limit', z.number().gt(1), 1, 'The field name must be more than 1.'],
  ['a large number', z.number().max(10), 11, 'The field name must be at most 10.'],
  ['a step between', z.number().multipleOf(5), 7, 'The field name must be a multiple of 5.'],
  ['no choice', z.enum(['a', 'b']), 'c', 'The field name must be one of "a", "b".'],
  ['not the one value', z.literal('a'), 'c', 'The field name must be "a".'],
  [
    'no kind of a union',
    z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })]),
    { kind: 'c' },
    'The field name.kind must be one of "a", "b".',
  ],
  ['no type of a union', z.union([z.string(), z.number()]), true, 'The field name must be a string or a number.'],
  ['another pattern', z.string().regex(/^a+$/), 'b', 'The field name does not have the required format.'],
  ['no email address', z.email(), 'b', 'The field name must be an email address.'],
  ['no URL', z.url(), 'b', 'The field name must be a URL.'],
  ['an unknown member', z.strictObject({}), { x: 1 }, 'The field name has an unknown member: "x".'],
  ['a nested field', z.object({ a: z.array(z.string()) }), { a: [1] }, 'The field name.a.0 must be a string.'],
  ['refused without a reason', z.string().refine(() => false), 'a', 'The field name is not valid.'],
  ['refused with the reason of its schema', z.string().min(3, 'Use three letters.'), 'a', 'Use three letters.'],
];

describe('the message for a value that is', () => {
  test.each(cases)('%s', (_name, schema, value, message) => {
    const fields = readMessages(z.object({ name: schema }), value === undefined ? {} : { name: value });
    expect(Object.values(fields as object)).toEqual([[message]]);
  });
});

describe('the place a message names', () => {
  test('begins with the prefix', () => {
    expect(readMessages(z.object({ url: z.string() }), {}, 'config')).toEqual({
      'config.url': ['The field config.url is required.'],
    });
    expect(readMessages(z.string().min(1), '', 'key')).toEqual({ key: ['The field key must not be empty.'] });
  });

  test('is the body if the complete value is at fault', () => {
    expect(readMessages(z.object({}), 'text')).toEqual({ body: ['The body must be an object.'] });
  });
});
