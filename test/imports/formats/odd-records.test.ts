import { describe, expect, test } from 'vitest';
import { readJson } from '#src/imports/formats/json/json.ts';
import { readXml } from '#src/imports/formats/xml/xml.ts';
import { inPieces, type ReadFormat, readAll, readXlsx } from '#test/imports/read-chunks.ts';

const xlsx = { read: readXlsx, wanted: ['id', 'a'] };
const xml = { read: readXml, wanted: ['id', 'none'] };
const json = { read: readJson, wanted: ['id', 'none'] };
const header = ['id', 'a'].map((name) => `<c t="inlineStr"><is><t>${name}</t></is></c>`).join('');
const sheet = (rows: readonly string[]): string =>
  `<worksheet><sheetData><row>${header}</row>${rows.join('')}</sheetData></worksheet>`;
const lines = ['2', '3', '4', '5'];

/** What is read of the chunks, which is the same as where each record is parsed. */
const same = (format: ReadFormat, ...chunks: (string | Buffer)[]) => sameInPieces(format, undefined, ...chunks);

/** The same for records that are all longer than `size`, of which five bytes at a time would be a hundred thousand pieces each. */
async function sameInPieces(format: ReadFormat, size: number | undefined, ...chunks: (string | Buffer)[]) {
  const bytes = chunks.map((chunk) => Buffer.from(chunk));
  const found = await readAll(format, bytes);
  const parsed = await readAll(format, inPieces(Buffer.concat(bytes), size));
  expect(found.fault?.message).toBe(parsed.fault?.message);
  if (!found.fault) expect(found.records).toEqual(parsed.records);
  return found;
}

describe('rows of a sheet', () => {
  test('within another row are parsed with the rest of the outer row', async () => {
    const nested = lines.map((n) => `<row r="${n}"><c><v>1</v></c><row r="${n}"><c><v>2</v></c></row></row>`);
    expect((await same(xlsx, sheet(nested))).records).toHaveLength(8);
    const inner = '<row><c r="B1"><v>2</v></c></row>';
    const around = lines.map((n) => `<row r="${n}">${inner}${inner}<c><v>7</v></c></row>`);
    expect((await same(xlsx, sheet(around))).records).toHaveLength(12);
  });

  test('do not begin with an element whose name only starts with theirs', async () => {
    const rows = lines.map((n) => `<rowx><c r="A1"><v>9</v></c></rowx><row r="${n}"><c r="B1"><v>${n}</v></c></row>`);
    const { records } = await same(xlsx, sheet(rows));
    expect(records.map(({ cells }) => cells)).toEqual(lines.map((n) => [undefined, n]));
  });

  test('are parsed if a chunk ends within a character between them', async () => {
    const row = '<row><c><v>1</v></c></row>';
    const [before, after] = sheet([row, row, '|', row, row]).split('|') as [string, string];
    const space = Buffer.from('\u00a0');
    const cut = [
      Buffer.concat([Buffer.from(before), space.subarray(0, 1)]),
      Buffer.concat([space.subarray(1), Buffer.from(after)]),
    ];
    expect((await same(xlsx, ...cut)).records).toHaveLength(4);
    const torn = [cut[0] as Buffer, Buffer.from(row), Buffer.concat([space.subarray(1), Buffer.from(after)])];
    await expect(readAll(xlsx, torn)).rejects.toThrow('not valid for encoding');
  });

  test.each(['x', '', '0', '-1', '1.5', '1e10', '99999999999'])('are refused with the number "%s"', async (number) => {
    const rows = [...lines, number].map((n) => `<row r="${n}"><c><v>1</v></c></row>`);
    expect((await same(xlsx, sheet(rows))).fault?.message).toBe(
      `What follows row 5 has no number of a row: "${number}".`,
    );
  });
});

describe('records that are longer than a shape may be', () => {
  test('have the same limit as parsed records', async () => {
    const rows = ['1', '2', 'x'.repeat(70_000)].map((text) => `<row><c t="str"><v>${text}</v></c></row>`);
    expect((await sameInPieces(xlsx, 20, sheet(rows))).fault?.message).toContain('more than 65536 characters');
    const elements = ['1', '2', 'x'.repeat(1_100_000)].map((text) => `<row><id>${text}</id></row>`);
    expect((await sameInPieces(xml, 20, `<r>${elements.join('')}</r>`)).fault?.message).toContain(
      'more than 1048576 characters',
    );
    const objects = ['1', '2', '3', 'x'.repeat(17_000_000)].map((text) => JSON.stringify({ id: text }));
    const found = await readAll(json, [Buffer.from(`[${objects.join(',')}]`)]);
    expect(found.fault?.message).toContain('More than 16777216 characters');
  });

  test('cannot exceed the limit of parsed records while their shape is looked for', async () => {
    const row = `<row>${'<c></c>'.repeat(255)}<id>${'z'.repeat(1024 * 1024 - 3_000)}<b/></id></row>`;
    expect((await sameInPieces(xml, 500, `<r>${row.repeat(3)}</r>`)).records).toHaveLength(3);
  });
});
