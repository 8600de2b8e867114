import { describe, expect, test } from 'vitest';
import { readCsv } from '#src/imports/formats/csv/csv.ts';
import type { Reading } from '#src/imports/formats/records/records.ts';
import { cutAnywhere, readAll, readXlsx } from '#test/imports/read-chunks.ts';

const csv = { read: readCsv, wanted: ['sku', 'name'] };

async function read(text: string, own: Partial<Reading> = {}) {
  const found = await readAll(csv, [Buffer.from(text)], own);
  for (const chunks of cutAnywhere(Buffer.from(text))) expect(await readAll(csv, chunks, own)).toEqual(found);
  return found.fault?.message ?? found.records.map(({ line, cells }) => [line, ...cells]);
}

describe('a first line that says what separates cells', () => {
  test.each([
    ['sep=;\r\nsku;name\r\nA;x, y\r\n', 'A'],
    ['"sep=|"\nsku|name\nA|x, y\n', 'A'],
    ['SEP=\t\rsku\tname\rA\tx, y', 'A'],
    ['\ufeffsep=;\nsku;name\n"A";"x, y"\n', 'A'],
  ])('is skipped, and read by: %j', async (text, sku) => {
    expect(await read(text)).toEqual([[3, sku, 'x, y']]);
    expect(await read(text, { skipLines: 1 })).toEqual([[3, sku, 'x, y']]);
  });

  test.each(['sep=;;', 'sep=', 'sept=;'])('is not taken for one where it is %s', async (line) => {
    expect(await read(`${line}\nsku,name\nA,x\n`, { skipLines: 1 })).toEqual([[3, 'A', 'x']]);
  });

  test('does not count as a row of a file without a header', async () => {
    const numbered = { read: readCsv, wanted: ['1', '2'] };
    const { records } = await readAll(numbered, [Buffer.from('sep=;\nA;x\nB;y')], { header: false });
    expect(records.map(({ line, cells }) => [line, ...cells])).toEqual([
      [2, 'A', 'x'],
      [3, 'B', 'y'],
    ]);
  });
});

describe('lines before the header', () => {
  test.each(['\n', '\r\n', '\r'])('are skipped, whatever quotes they have, by line breaks %j', async (lineBreak) => {
    const text = ['Stock of "Hall 1', '', 'of today,', 'sku,name', 'A,x', '"B","y"'].join(lineBreak);
    expect(await read(text, { skipLines: 3 })).toEqual([
      [5, 'A', 'x'],
      [6, 'B', 'y'],
    ]);
  });

  test('leave a file without a header if they are more than it has', async () => {
    expect(await read('sku,name\nA,x\n', { skipLines: 9 })).toBe(
      'The file has no header. Its first line must name the columns.',
    );
  });

  test('are bounded', async () => {
    const text = Buffer.from('x'.repeat(1_100_000));
    expect((await readAll(csv, [text], { skipLines: 2 })).fault?.message).toBe(
      'The first 2 lines have more than 1048576 bytes.',
    );
  });

  test('are the first rows of a sheet, with or without a header', async () => {
    const row = (n: number, ...cells: string[]) =>
      `<row r="${n}">${cells.map((cell) => `<c t="str"><v>${cell}</v></c>`).join('')}</row>`;
    const sheet = (...rows: string[]) => [
      Buffer.from(`<worksheet><sheetData>${rows.join('')}</sheetData></worksheet>`),
    ];
    const format = { read: readXlsx, wanted: ['sku', 'name'] };
    const titled = sheet(row(1, 'Stock', 'x'), row(3, 'of today', 'y'), row(4, 'sku', 'name'), row(5, 'A', 'x'));
    const own = { skipLines: 3, skipUnchanged: () => undefined };
    expect((await readAll(format, titled, own)).records).toEqual([{ line: 5, cells: ['A', 'x'] }]);
    const numbered = { read: readXlsx, wanted: ['1', '2'] };
    const found = await readAll(numbered, titled, { ...own, header: false });
    expect(found.records.map(({ line }) => line)).toEqual([4, 5]);
    expect((await readAll(format, titled)).fault?.message).toBe(
      'The header lacks "sku", "name", which the profile maps. It has Stock, x. Line 4 has them: set "skip_lines" to 3 in the profile.',
    );
  });
});

describe('a header that is not found is looked for', () => {
  const lacks = 'The header lacks "sku", "name", which the profile maps. It has';

  test('by other delimiters', async () => {
    expect(await read('sku;name\nA;x\n')).toBe(
      `${lacks} sku;name. Line 1 has them: set "delimiter" to ";" in the profile.`,
    );
    expect(await read('"sku";"name"\nA;x\n')).toBe(
      'A quote is followed by ";" and not by the delimiter in the row that begins in line 1. If that separates the cells, set "delimiter" to it in the profile.',
    );
    expect(await read('sku\tname\nA\tx\n')).toContain('Line 1 has them: set "delimiter" to "\\t" in the profile.');
    const numbered = { read: readCsv, wanted: ['1', '3'] };
    expect((await readAll(numbered, [Buffer.from('A;x;1,5')], { header: false })).fault?.message).toBe(
      'The first row has 2 cells, and the profile maps column 3. It has more by another one: set "delimiter" to ";" in the profile.',
    );
  });

  test('below titles', async () => {
    expect(await read('Stock\n\n"of ""today"""\nsku,name\nA,x\n')).toBe(
      `${lacks} Stock. Line 4 has them: set "skip_lines" to 3 in the profile.`,
    );
    expect(await read('Stock\nsku;name\nA;x\n')).toBe(
      `${lacks} Stock. Line 2 has them: set "skip_lines" to 1 and "delimiter" to ";" in the profile.`,
    );
  });

  test('only in the first few rows', async () => {
    const rows = 'a,b\n'.repeat(30);
    expect(await read(`${rows}sku,name\n`)).toBe(`${lacks} a, b.`);
    expect(await read('a,b\nc,"open\n')).toBe(`${lacks} a, b.`);
    expect(await read('a,b\n')).toBe(`${lacks} a, b.`);
  });
});
