import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  expressionPieces,
  faultRange,
  insertPath,
  isWithinBraces,
  type Piece,
  withInsertion,
  withValues,
} from '#console/automation/editor/expressions/template.ts';

const plain = { isJson: false, isBare: false };
const json = { isJson: true, isBare: false };

describe('what of a field is evaluated', () => {
  test('is the whole of a text with braces, and nothing of one without', () => {
    expect(expressionPieces('Order {{ a }}', plain)).toMatchObject([{ text: 'Order {{ a }}', from: 0 }]);
    expect(expressionPieces('Order', plain)).toEqual([]);
    expect(expressionPieces('a > 1', { isJson: false, isBare: true })).toMatchObject([{ text: 'a > 1' }]);
  });

  test('is each string of JSON that has an expression', () => {
    const text = '{"a": "{{ \\"x\\" }}", "b": "c", "d": ["{{ e }}"]}';
    expect(expressionPieces(text, json).map((piece) => piece.text)).toEqual(['{{ "x" }}', '{{ e }}']);
    expect(expressionPieces('{{ a }}', json)).toMatchObject([{ text: '{{ a }}', isString: false }]);
  });
});

test('the fault of a string of JSON is marked where it is written', () => {
  const text = '["{{ \\"a\\" + wrong }}"]';
  const [piece] = expressionPieces(text, json) as [Piece];
  const { from, to } = faultRange(text, piece, piece.text.indexOf('wrong') + 2);
  expect(text.slice(from, to)).toBe('wrong');
});

test('a fault at the end marks the last word', () => {
  const piece: Piece = { text: '1 + * 27', from: 0, to: 8, isString: false };
  expect(faultRange('1 + * 27', piece, 8)).toEqual({ from: 6, to: 8 });
});

test('the values of JSON stand in place of its expressions, once all are known', () => {
  const text = '{"a": "{{ b }}"}';
  const pieces = expressionPieces(text, json);
  expect(withValues(text, pieces, ['1'])).toBe('{"a": 1}');
  expect(withValues(text, pieces, [undefined])).toBeUndefined();
});

test('a place is within braces after those that are not escaped or closed', () => {
  expect(isWithinBraces('{{ a', 4)).toBe(true);
  expect(isWithinBraces('{{ a }} b', 9)).toBe(false);
  expect(isWithinBraces('\\{{ a', 5)).toBe(false);
});

describe('the path of a value is written', () => {
  const at = (from: number) => ({ from, to: from });
  test.each([
    ['between braces as it is', '{{  }}', 3, json, 'a.b'],
    ['in text with braces', 'Order ', 6, plain, '{{ a.b }}'],
    ['in a string of JSON with braces', '{"x": ""}', 7, json, '{{ a.b }}'],
    ['before an expression with braces of its own', '{{ x }}', 0, plain, '{{ a.b }}'],
    ['as a string beside braces that another string holds', '[{"{{":false},]', 14, json, '"{{ a.b }}"'],
    ['elsewhere in JSON as a string', '{"x": }', 6, json, '"{{ a.b }}"'],
    ['in a condition without braces', 'x > ', 4, { isJson: false, isBare: true }, 'a.b'],
  ])('%s', (_, text, place, kind, insert) => {
    expect(insertPath(text, at(place), { ...kind, path: 'a.b' })).toEqual({ ...at(place), insert });
  });
});

describe('the path of a value is added to JSON in which no value can stand at the cursor', () => {
  const added = (text: string, place: number, path = 'trigger.payload.order.id') =>
    withInsertion(text, insertPath(text, { from: place, to: place }, { ...json, path }));

  test.each([
    ['{"a": 1}', 0, '{"a": 1, "id": "{{ trigger.payload.order.id }}"}'],
    ['{"id": 1}', 9, '{"id": 1, "id_2": "{{ trigger.payload.order.id }}"}'],
    ['{}', 2, '{"id": "{{ trigger.payload.order.id }}"}'],
    ['[1]', 0, '[1, "{{ trigger.payload.order.id }}"]'],
    ['[]', 0, '["{{ trigger.payload.order.id }}"]'],
    ['"text"', 0, '{{ trigger.payload.order.id }}'],
    ['{\n  "a": 1\n}', 0, '{\n  "a": 1,\n  "id": "{{ trigger.payload.order.id }}"\n}'],
  ])('%s', (text, place, expected) => {
    expect(added(text, place)).toBe(expected);
  });

  test('so that it stays JSON, wherever the cursor was', () => {
    const text = fc
      .tuple(fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())), fc.constantFrom(0, 2))
      .map(([value, indent]) => JSON.stringify(value, null, indent));
    const path = fc.constantFrom('item', 'nodes.get-order.outputs.`a b`[0]', 'trigger.payload.lines[0].sku');
    fc.assert(
      fc.property(text, fc.nat(), path, (given, at, read) => {
        const next = added(given, at % (given.length + 1), read);
        expect(() => JSON.parse(next) as unknown).not.toThrow();
        // Within a string that has braces already, the path is written between those.
        expect(next).toContain(given.includes('{{') ? read : `{{ ${read} }}`);
      }),
    );
  });
});
