import { describe, expect, test } from 'vitest';
import {
  expressionPieces,
  faultRange,
  insertPath,
  isWithinBraces,
  type Piece,
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
    ['elsewhere in JSON as a string', '{"x": }', 6, json, '"{{ a.b }}"'],
    ['in a condition without braces', 'x > ', 4, { isJson: false, isBare: true }, 'a.b'],
  ])('%s', (_, text, place, kind, insert) => {
    expect(insertPath(text, at(place), { ...kind, path: 'a.b' })).toEqual({ ...at(place), insert });
  });
});
