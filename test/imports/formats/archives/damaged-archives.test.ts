import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openFile } from '#src/imports/formats/archives/open-file.ts';
import { readXlsx } from '#src/imports/formats/xlsx/xlsx.ts';
import { withFlippedBit, withSize, makeZip } from '#test/imports/archives.ts';
import { of, readAll } from '#test/imports/read-chunks.ts';

const csv = 'list,sku,amount\nEU,A,100\n';

async function unpacked(file: Buffer): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of openFile(of([file]), { format: 'csv' })) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('an archive with one changed bit', () => {
  test.each([true, false])('is never read as other text, compressed: %s', async (compress) => {
    const archive = await makeZip({ 'prices.csv': csv }, { compress });
    expect(await unpacked(archive)).toBe(csv);
    const begin = archive.indexOf('prices.csv') + 'prices.csv'.length;
    const end =
      archive.indexOf('PK\u0007\u0008') === -1 ? archive.indexOf('PK\u0001\u0002') : archive.indexOf('PK\u0007\u0008');
    expect(end - begin).toBeGreaterThan(20);
    for (let at = begin; at < end; at += 1) {
      const changed = Buffer.from(archive);
      changed[at] = (changed[at] as number) ^ 8;
      const found = await unpacked(changed).catch(({ message }: Error) => message);
      // Deflate has a few bits that mean nothing.
      expect(compress && found === csv ? 'The archive is damaged' : found).toMatch(/^The archive is damaged/);
    }
  });

  test('is refused if its directory states another checksum or size', async () => {
    const archive = await makeZip({ 'prices.csv': csv }, { compress: false });
    const otherSum = Buffer.from(archive);
    otherSum.writeUInt32LE(1, archive.indexOf('PK\u0001\u0002') + 16);
    await expect(unpacked(otherSum)).rejects.toThrow(
      'The archive is damaged: the checksum of its file prices.csv is wrong. Send it again.',
    );
    await expect(unpacked(withSize(archive, 5))).rejects.toThrow(/The archive is damaged/);
  });

  test('of gzip is refused as well', async () => {
    const packed = gzipSync(csv, { level: 0 });
    await expect(unpacked(withFlippedBit(packed, '100'))).rejects.toThrow('The gzip archive is damaged');
  });
});

test.each(['xl/worksheets/sheet1.xml', 'xl/sharedStrings.xml', 'xl/styles.xml', 'xl/workbook.xml'])(
  'a workbook with one changed bit in %s is refused',
  async (name) => {
    const workbook = await makeZip(
      {
        'xl/workbook.xml': '<workbook title="100"><sheets><sheet name="S" r:id="r"/></sheets></workbook>',
        'xl/_rels/workbook.xml.rels':
          '<Relationships><Relationship Id="r" Target="worksheets/sheet1.xml"/></Relationships>',
        'xl/sharedStrings.xml': '<sst><si><t>a</t></si><si><t>100</t></si></sst>',
        'xl/styles.xml': '<styleSheet title="100"/>',
        'xl/worksheets/sheet1.xml':
          '<worksheet><sheetData><row><c t="s"><v>0</v></c></row><row><c><v>100</v></c></row></sheetData></worksheet>',
      },
      { compress: false },
    );
    const format = { read: readXlsx, wanted: ['a'] };
    expect((await readAll(format, [workbook])).records.map(({ cells }) => cells)).toEqual([['100']]);
    const begin = workbook.indexOf(name);
    const changed = Buffer.concat([workbook.subarray(0, begin), withFlippedBit(workbook.subarray(begin), '100')]);
    expect((await readAll(format, [changed])).fault?.message).toBe(
      `The archive is damaged: the checksum of its file ${name} is wrong. Send it again.`,
    );
  },
);

test('an archive with a rare compression method is refused with its name', async () => {
  const archive = await makeZip({ 'prices.csv': csv });
  const directory = archive.indexOf('PK\u0001\u0002');
  const rare = Buffer.from(archive);
  rare.writeUInt16LE(9, directory + 10);
  await expect(unpacked(rare)).rejects.toThrow('The archive is packed by method 9. Pack it with deflate');
});
