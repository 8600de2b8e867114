import { describe, expect, test } from 'vitest';
import { readAll, readXlsx } from '#test/imports/read-chunks.ts';

const format = { read: readXlsx, wanted: ['a'] };

/** The cells of column "a" of a sheet with these cells in it, each row twice, so that the second is told by its shape. */
async function readCells(...cells: string[]): Promise<unknown[]> {
  const rows = ['<c t="str"><v>a</v></c>', ...cells.flatMap((cell) => [cell, cell])].map(
    (cell) => `<row>${cell}</row>`,
  );
  const bytes = Buffer.from(`<worksheet><sheetData>${rows.join('')}</sheetData></worksheet>`);
  const { records, fault } = await readAll(format, [bytes]);
  expect(fault).toBeUndefined();
  const found = records.map((record) => record.cells[0]);
  expect(found.filter((_, at) => at % 2 === 0)).toEqual(found.filter((_, at) => at % 2 === 1));
  return found.filter((_, at) => at % 2 === 0);
}

describe('the number of a cell', () => {
  test.each([
    ['19.989999999999998', '19.99'],
    ['19.991999999999997', '19.992'],
    ['0.30000000000000004', '0.3'],
    ['133.80000000000001', '133.8'],
    ['-4.3499999999999996', '-4.35'],
    ['1.1102230246251565E-2', '0.0111022302462516'],
    ['1.2345678901234568E+16', '12345678901234600'],
    ['999999999999999.96', '1000000000000000'],
    ['0.000012345678901234567', '0.0000123456789012346'],
  ])('%s has the digits that its spreadsheet shows, %s', async (stored, shown) => {
    expect(await readCells(`<c><f>1+1</f><v>${stored}</v></c>`)).toEqual([shown]);
  });

  test.each(['9.50', '0.000000000000000100', '123456789.012345', '1234567890123456', '4006381333931000017'])(
    '%s, which is not longer or is whole, stays as it is',
    async (stored) => {
      expect(await readCells(`<c><v>${stored}</v></c>`)).toEqual([stored]);
    },
  );

  test('is rounded if it shows a date, so that a computed day has no time', async () => {
    expect(await readCells('<c s="1"><f>A1+1</f><v>46022.9999999999996</v></c>')).toEqual(['2026-01-01']);
  });

  test('is parsed if its bytes have more digits', async () => {
    const rows = ['1.5', '2.5', '19.989999999999998'].map((text) => `<row><c><v>${text}</v></c></row>`);
    const sheet = `<worksheet><sheetData><row><c t="str"><v>a</v></c></row>${rows.join('')}</sheetData></worksheet>`;
    const taken: string[] = [];
    await readAll(format, [Buffer.from(sheet)], {
      skipUnchanged(bytes, spans) {
        taken.push(bytes.toString('utf8', spans[0], spans[1]));
        return undefined;
      },
    });
    expect(taken).toEqual(['2.5']);
  });
});

describe('hints of pronunciation', () => {
  test('are not part of the text of a cell, whatever the prefix of their elements', async () => {
    const hint = '<rPh sb="0" eb="2"><t>トウキョウ</t></rPh><phoneticPr fontId="1"/>';
    expect(await readCells(`<c t="inlineStr"><is><t>東京</t>${hint}</is></c>`)).toEqual(['東京']);
    expect(await readCells(`<c t="inlineStr"><is><r><t>東</t></r><r><t>京</t></r>${hint}</is></c>`)).toEqual(['東京']);
    expect(await readCells('<c t="inlineStr"><is>' + hint + '<t>東京</t></is></c>')).toEqual(['東京']);
    const prefixed = '<x:c t="inlineStr"><x:is><x:t>東京</x:t><x:rPh><x:t>トウ</x:t></x:rPh></x:is></x:c>';
    expect(await readCells(prefixed)).toEqual(['東京']);
  });
});
