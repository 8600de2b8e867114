import { describe, expect, test } from 'vitest';
import { readCsv } from '#src/imports/formats/csv/csv.ts';
import { writers } from '#src/imports/formats/formats.ts';
import { findCharacters } from '#src/imports/formats/text/encodings.ts';
import { cutAnywhere, inPieces, of, readAll } from '#test/imports/read-chunks.ts';

const format = { read: readCsv, wanted: ['sku', 'name'] };

/** The text in an encoding of one byte a character. */
function encoded(text: string, encoding: string): Buffer {
  const characters = findCharacters(encoding) as string;
  return Buffer.from(Array.from(text, (character) => characters.indexOf(character)));
}

async function readNames(chunks: readonly Buffer[], encoding: string): Promise<unknown> {
  const { records, fault } = await readAll(format, chunks, { encoding });
  return fault?.message ?? records.map(({ cells }) => cells[1]);
}

describe('text of one byte a character', () => {
  test.each([
    ['windows-1252', 'Gr\xf6\xdfe \x80', 'Größe €'],
    ['iso-8859-15', 'Gr\xf6\xdfe \xa4 \xbd', 'Größe € œ'],
    ['cp850', 'Gr\x94\xe1e \x8e\x99\x9a \x82\x85 \xb3', 'Größe ÄÖÜ éà │'],
    ['macintosh', 'Gr\x9a\xa7e \x80\x85\x86 \x8e\x88 \xdb', 'Größe ÄÖÜ éà €'],
  ])('is read in %s, wherever it is cut', async (encoding, bytes, text) => {
    const file = Buffer.from(`sku,name\nA,${bytes}\nB,plain\n`, 'latin1');
    for (const chunks of cutAnywhere(file)) expect(await readNames(chunks, encoding)).toEqual([text, 'plain']);
  });

  test.each(['iso-8859-15', 'cp850', 'macintosh'])('is written in %s as it is read', async (encoding) => {
    const names = (findCharacters(encoding) as string).slice(128).replace('\u00a0', '');
    const columns = ['sku', 'name'].map((name) => ({ name, type: 'text' as const }));
    const writing = { columns, delimiter: ',', quote: '"', header: true, skipLines: 2, decimalSeparator: '.' };
    const copied = Buffer.from(`A,${names}\n`);
    const chunks: Buffer[] = [];
    const written = writers['csv']?.write(of(inPieces(copied)), {
      ...writing,
      encoding,
      recordPath: null,
      sheet: null,
    });
    for await (const chunk of written ?? []) chunks.push(chunk);
    expect(Buffer.concat(chunks)).toHaveLength(`\n\nsku,name\nA,${names}\n`.length);
    const { records } = await readAll(format, chunks, { encoding, skipLines: 2 });
    expect(records).toMatchObject([{ line: 4, cells: ['A', names] }]);
  });
});

describe('a file in another encoding than its profile says so', () => {
  const text = 'sku,name\nA,Größe\nB,Tür\n';

  test.each(['windows-1252', 'cp850', 'macintosh'])('is in %s where UTF-8 is read', async (encoding) => {
    expect(await readNames([encoded(text, encoding)], 'utf-8')).toContain(
      `It looks like ${encoding}: set "encoding" to that`,
    );
  });

  test('is recognised as ISO-8859-15 if UTF-8 is read and prices have the euro sign', async () => {
    expect(await readNames([encoded(`${text}C,5 €\n`, 'iso-8859-15')], 'utf-8')).toContain('It looks like iso-8859-15');
  });

  test.each(['windows-1252', 'iso-8859-15', 'cp850', 'macintosh'])('is UTF-8 where %s is read', async (encoding) => {
    const message = `The file is in utf-8 ("ö" is one of its characters), and the profile reads it as ${encoding}. Set "encoding" to utf-8 in the profile.`;
    const file = Buffer.from(text);
    for (const chunks of cutAnywhere(file)) expect(await readNames(chunks, encoding)).toBe(message);
    expect(await readNames(inPieces(file, 1), encoding)).toBe(message);
    expect(await readNames(inPieces(Buffer.from('sku,name\nA,😀')), encoding)).toContain('"😀"');
  });

  test('is not recognised as UTF-8 if one character is invalid, or all are ASCII', async () => {
    const mixed = Buffer.concat([Buffer.from('sku,name\nA,Ã¶ ö\n', 'latin1'), Buffer.from('B,ö\n')]);
    expect(await readNames([mixed], 'windows-1252')).toEqual(['Ã¶ ö', 'Ã¶']);
    expect(await readNames([Buffer.from('sku,name\nA,x\n')], 'windows-1252')).toEqual(['x']);
  });

  const long = `${text}${'C,Stuhl\n'.repeat(20)}`;
  test.each([
    ['utf-16le', 'utf-8', Buffer.from(long)],
    ['utf-16be', 'windows-1252', encoded(long, 'windows-1252')],
    ['utf-16le', 'utf-16be', Buffer.from(long, 'utf16le').swap16()],
    ['utf-16be', 'utf-16le', Buffer.from(`\ufeff${long}`, 'utf16le')],
    ['utf-8', 'utf-16le', Buffer.from(`\ufeff${long}`, 'utf16le')],
  ])('where %s is read and it is %s', async (encoding, own, bytes) => {
    expect(await readNames([bytes], encoding)).toBe(
      `The file is not in the encoding ${encoding}: see the bytes from 0 on. It looks like ${own}: set "encoding" to that in the profile, or send it in ${encoding}.`,
    );
  });

  test('Chinese text in UTF-16 is read', async () => {
    const names = Array.from({ length: 50 }, () => '红色的椅子和白色的桌子和蓝色的杯子'.repeat(20));
    const file = `sku,name\n${names.map((name) => `甲,${name}\n`).join('')}`;
    for (const [encoding, bytes] of [
      ['utf-16le', Buffer.from(file, 'utf16le')],
      ['utf-16be', Buffer.from(file, 'utf16le').swap16()],
    ] as const)
      expect(await readNames([bytes], encoding)).toEqual(names);
  });
});
