import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exactNumber, exactNumbers, parseExact } from '#src/infra/text/exact-numbers.ts';
import { measureCpuTime } from '#test/setup/cpu-time.ts';

describe('a JSON number', () => {
  test.each([
    ['9007199254740991', 9_007_199_254_740_991],
    ['-9007199254740991', -9_007_199_254_740_991],
    ['9007199254740992', '9007199254740992'],
    ['9007199254740993', '9007199254740993'],
    ['820982911946154508', '820982911946154508'],
    ['-12345678901234567890', '-12345678901234567890'],
    ['10.10', 10.1],
    ['0.30000000000000004', 0.30000000000000004],
    ['0.300000000000000040000000', 0.30000000000000004],
    ['0.1234567890123456789', '0.1234567890123456789'],
    ['12345678901234.567891', '12345678901234.567891'],
    ['6.02214076e23', 6.02214076e23],
    ['1E16', 1e16],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    // Written by programs that always give doubles 17 digits.
    ['19.989999999999998', 19.99],
    ['0.10000000000000001', 0.1],
    ['5e-324', Number.MIN_VALUE],
    ['1e400', '1e400'],
    ['-1e400', '-1e400'],
    ['1e-400', '1e-400'],
    ['0e999', 0],
    ['0.00000000000000000', 0],
    [`1${'0'.repeat(500)}`, `1${'0'.repeat(500)}`],
  ])('%s is read as %j', (text, value) => {
    expect(parseExact(text)).toBe(value);
    expect(exactNumber(text)).toBe(value);
    expect(parseExact(`{"a":[1, ${text}\n],"b":${text}}`)).toEqual({ a: [1, value], b: value });
  });

  test.each([
    '{"a":"820982911946154508","b":10.10}',
    String.raw`{"a":"\"820982911946154508","b":"\\"}`,
    '["gid://shop/Order/820982911946154508", "e123", 1e10]',
    '{"id":"0e1234, "}',
    '{820982911946154508: 1}',
    '[00820982911946154508]',
    '[8209829119461545.]',
    '820982911946154508"',
    '["820982911946154508',
    '',
  ])('stays where it is not one, or needs no more than a double: %j', (text) => {
    expect(exactNumbers(text)).toBe(text.endsWith('8"') ? `"820982911946154508""` : text);
  });

  test('that prints from a double is never text, and no other text changes', () => {
    const doubles = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => {
      const text = JSON.stringify(value);
      return /^-?\d+$/.test(text) && !Number.isSafeInteger(value) ? 1 : value;
    });
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        doubles,
        fc.string(),
        fc.stringMatching(/^[0-9e",:.\\+ -]{10,40}$/),
        fc.boolean(),
        fc.array(tie('tree')),
        fc.dictionary(fc.stringMatching(/^[0-9"\\e]{0,20}$/), tie('tree')),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.constantFrom(undefined, 2), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(exactNumbers(text)).toBe(text);
      }),
    );
  });

  test('keeps its digits wherever it occurs', () => {
    const digits = fc.bigInt({ min: 2n ** 53n, max: 10n ** 40n }).map(String);
    fc.assert(
      fc.property(
        fc.array(fc.oneof(digits, fc.string()), { minLength: 1 }),
        fc.constantFrom(undefined, 1),
        (list, space) => {
          const quoted = JSON.stringify(
            list.map((each) => ({ [each]: each })),
            null,
            space,
          );
          const text = quoted.replaceAll(/(: ?)"(\d{16,})"/g, '$1$2');
          expect(parseExact(text)).toEqual(JSON.parse(quoted));
        },
      ),
    );
  });

  test('is found in time linear in the text', async () => {
    const texts = [
      `[${'1'.repeat(4_000_000)}]`,
      `[0.${'0'.repeat(4_000_000)}1]`,
      `["${'\\'.repeat(4_000_000)}", 820982911946154508]`,
      `[${'"",'.repeat(1_000_000)}820982911946154508]`,
      `[${'820982911946154508,'.repeat(200_000)}1]`,
      `[${'e1234'.repeat(800_000)}]`,
      `{820982911946154508${' '.repeat(4_000_000)}:1}`,
    ];
    const cost = await measureCpuTime(() => texts.forEach((text) => exactNumbers(text)));
    // Of texts as long as these, a quadratic search takes hours.
    expect(cost).toBeLessThan(30_000);
  });
});
