import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { json } from '#rest/bodies.ts';
import { ValidationError } from '#src/infra/errors.ts';
import { decimal, money } from '#src/infra/text/decimals.ts';

const amounts = z.object({
  amount: money({ sign: 'positive' }),
  count: z.int().nullish(),
  items: z.array(z.object({ quantity: decimal().nullish() })).optional(),
});
const body = json(amounts);
const read = (text: string) => body.read(Buffer.from(text) as never, 'application/json', undefined as never);

describe('a decimal in a body', () => {
  test('is read by its digits, from text or from a JSON number', () => {
    expect(read('{"amount": 12.50, "count": 3, "items": [{"quantity": 0.1}, {"quantity": "007.0"}, {}]}')).toEqual({
      amount: '12.50',
      count: 3,
      items: [{ quantity: '0.1' }, { quantity: '7.0' }, {}],
    });
  });

  test('never passes through a float', () => {
    const digits = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 18n - 1n }), fc.stringMatching(/^\d{1,4}$/));
    fc.assert(
      fc.property(digits, fc.boolean(), ([whole, fraction], quoted) => {
        const text = `${whole}.${fraction}`;
        expect(read(`{"amount": ${quoted ? `"${text}"` : text}}`)).toEqual({ amount: text });
      }),
    );
  });

  test.for([
    '1e400',
    '"1e2"',
    '"10,5"',
    '"NaN"',
    '"Infinity"',
    '-1',
    '0',
    '0.00001',
    '"1".repeat',
    '1234567890123456789',
    'true',
    '[]',
    '""',
    '" 1"',
    '"１"',
  ])('of %s is refused at its field', (text) => {
    if (text.includes('repeat')) return expect(() => read(`{"amount": ${'1'.repeat(200)}}`)).toThrow(ValidationError);
    expect(() => read(`{"amount": ${text}}`)).toThrow(ValidationError);
  });

  test('leaves other numbers and nested free members unchanged', () => {
    const free = json(z.object({ amount: money(), extra: z.unknown() }));
    const text = '{"amount": 1, "extra": {"amount": 1.5, "deep": [2, {"__proto__": 3}]}}';
    expect(free.read(Buffer.from(text) as never, 'application/json', undefined as never)).toEqual({
      amount: '1',
      extra: { amount: 1.5, deep: [2, {}] },
    });
  });
});
