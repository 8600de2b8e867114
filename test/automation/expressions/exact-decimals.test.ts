import { readFile } from 'node:fs/promises';
import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileTemplate } from '#src/automation/expressions/template.ts';

const evaluate = async (source: string, payload: unknown = {}): Promise<unknown> =>
  compileTemplate(`{{ ${source} }}`).evaluate({
    trigger: { payload, type: 'manual', handle: null },
    nodes: {},
    run: { id: 1, started_at: '2026-01-01T00:00:00.000Z' },
    secrets: () => undefined,
  });

const page = await readFile(new URL('../../../docs/expressions.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/^\| `(.+)` \| `(.+)` \|$/gm)].map(([, source = '', yields = '']) => [
  source,
  yields,
]);

test('the page has examples', () => expect(examples.length).toBeGreaterThan(10));

test.each(examples)('%s is %s, as the page says', async (source = '', yields = '') => {
  expect(await evaluate(source)).toBe(JSON.parse(yields));
});

describe('exact decimals', () => {
  test.each([
    ['$decimalSum(lines.$decimalMultiply(price, qty))', '30.30'],
    ['$decimalSum(lines[qty > 5].price)', undefined],
    ['$decimalSum(lines[0].price)', '10.10'],
    ['$decimalSum([])', '0'],
    ['$decimalAdd(nothing, 1)', undefined],
    ['$decimalAdd("12345678901234567890", "0.01")', '12345678901234567890.01'],
    ['$decimalRound("-0.4", 0)', '0'],
    ['$decimalRound("1e-7", 8)', '0.00000010'],
    ['$decimalRound(" +.5 ", 0)', '1'],
    ['$map(["1.5", "2.5"], $decimalRound(?, 0))', ['2', '3']],
  ])('%s is %j', async (source, yields) => {
    const path = source.replaceAll(/\b(lines|nothing)\b/g, 'trigger.payload.$1');
    const lines = [
      { price: '10.10', qty: 2 },
      { price: '10.10', qty: 1 },
    ];
    expect(await evaluate(path, { lines })).toEqual(yields);
  });

  test.each([
    ['$decimalAdd("1,5", 1)', 'takes decimals'],
    ['$decimalAdd(true, 1)', 'takes decimals'],
    ['$decimalAdd("", 1)', 'takes decimals'],
    ['$decimalAdd("1e1000", 1)', 'takes decimals'],
    ['$decimalDivide(1, "0.0", 2)', 'divided by zero'],
    ['$decimalDivide(1, 3)', 'digits after the point'],
    ['$decimalRound(1, 101)', 'digits after the point'],
    ['$decimalMultiply("1e999", "1e999")', 'at most 1000 digits'],
  ])('%s fails and says why', async (source, reason) => {
    await expect(evaluate(source)).rejects.toThrow(reason);
  });

  test('equal those of decimal.js, with halves rounded away from zero', async () => {
    const Wide = Decimal.clone({ precision: 200, rounding: Decimal.ROUND_HALF_UP });
    const text = fc
      .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.nat(8))
      .map(([units, scale]) => new Wide(units.toString()).div(new Wide(10).pow(scale)).toFixed());
    await fc.assert(
      fc.asyncProperty(text, text, fc.nat(6), async (a, b, digits) => {
        const [left, right] = [new Wide(a), new Wide(b)];
        const found = await evaluate(
          `[$decimalAdd(a, b), $decimalSubtract(a, b), $decimalMultiply(a, b), $decimalRound(a, ${digits}), $decimalCompare(a, b)]`.replaceAll(
            /\b[ab]\b/g,
            'trigger.payload.$&',
          ),
          { a, b },
        );
        const [sum, difference, product, rounded, order] = found as [string, string, string, string, number];
        expect([sum, difference, product].map((each) => new Wide(each).toFixed())).toEqual([
          left.plus(right).toFixed(),
          left.minus(right).toFixed(),
          left.times(right).toFixed(),
        ]);
        expect(rounded).toBe(left.toFixed(digits).replace(/^-(?=0(\.0*)?$)/, ''));
        expect(order).toBe(left.cmp(right));
        if (!right.isZero()) {
          const quotient = await evaluate(`$decimalDivide(trigger.payload.a, trigger.payload.b, ${digits})`, { a, b });
          expect(quotient).toBe(
            left
              .div(right)
              .toFixed(digits)
              .replace(/^-(?=0(\.0*)?$)/, ''),
          );
        }
      }),
      { numRuns: 60 },
    );
  });
});
