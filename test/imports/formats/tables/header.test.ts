import { describe, expect, test } from 'vitest';
import { findPlaces } from '#src/imports/formats/tables/header.ts';

const wanted = (...names: string[]) => names.map((name) => ({ name, required: true }));

describe('a column', () => {
  test('may be in the header twice if nothing is read from it', () => {
    expect(findPlaces(['sku', 'Remark', 'Remark', '', ''], wanted('sku'))).toEqual([0]);
    const optional = { name: 'none', required: false };
    expect(findPlaces(['Remark', 'Remark'], [optional])).toEqual([-1]);
  });

  test('may not be there twice if it is read', () => {
    expect(() => findPlaces(['sku', 'sku '], wanted('sku'))).toThrow('The header names the column "sku" twice.');
    const optional = { name: 'name', required: false };
    expect(() => findPlaces(['sku', 'na\u200bme', 'name\u00a0\u200b'], [optional])).toThrow('"name" twice');
  });

  test.each([
    ['characters that macOS writes as two', 'Gro\u0308ße', 'Größe'],
    ['spaces that do not break', 'Unit\u00a0price', 'Unit price'],
    ['a line break', 'Unit\r\nprice', 'Unit price'],
    ['several spaces', ' Unit  price ', 'Unit price'],
    ['characters without width', '\u200bUnit pr\u00adice\u2060', 'Unit price'],
    ['the mark of a formula', "'=a", '=a'],
  ])('is found where its name looks the same with %s, on either side', (_, odd, plain) => {
    expect(findPlaces(['x', odd], wanted(plain))).toEqual([1]);
    expect(findPlaces(['x', plain.replace(/^=/, "'=")], wanted(odd.replace(/^'/, '')))).toEqual([1]);
  });

  test('with exactly the name is preferred to one that looks the same', () => {
    expect(findPlaces(['Unit\u00a0price', 'Unit price'], wanted('Unit price'))).toEqual([1]);
  });

  test('is suggested if it differs only in case or punctuation', () => {
    expect(() => findPlaces(['SKU', 'unit_price', 'x'], wanted('sku', 'Unit price', 'y'))).toThrow(
      'The header lacks "sku", "Unit price", "y", which the profile maps. It has SKU, unit_price, x. ' +
        '"SKU" differs from "sku": map the column as the file writes it. ' +
        '"unit_price" differs from "Unit price": map the column as the file writes it.',
    );
  });
});
