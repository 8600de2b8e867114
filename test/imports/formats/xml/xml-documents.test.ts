import { describe, expect, test } from 'vitest';
import { readXml } from '#src/imports/formats/xml/xml.ts';
import { inPieces, readAll } from '#test/imports/read-chunks.ts';

async function readBytes(bytes: Buffer, wanted: readonly string[], encoding = 'utf-8') {
  const read = { read: readXml, wanted };
  const whole = await readAll(read, [bytes], { encoding });
  const pieces = await readAll(read, inPieces(bytes), { encoding });
  expect(pieces.fault?.message).toBe(whole.fault?.message);
  if (!whole.fault) expect(pieces.records).toEqual(whole.records);
  return whole.fault?.message ?? whole.records.map(({ cells }) => cells);
}
const read = (text: string, ...wanted: string[]) => readBytes(Buffer.from(text), wanted);

describe('mixed content', () => {
  test('keeps its text in document order, with line breaks', async () => {
    const contents = {
      'Line 1<br/>Line 2': 'Line 1\nLine 2',
      'a<BR></BR>b<x:br class="c"/>c': 'a\nb\nc',
      'Weight <b>2 kg</b>': 'Weight 2 kg',
      '<b>New:</b> now in blue': 'New: now in blue',
      '1<b>2<i>3</i>4</b>5<!-- 6 --><![CDATA[<7>]]>&amp;<?p 8?>': '12345<7>&',
      '<b>all</b>': 'all',
      '<p>a</p><p>b</p>': 'ab',
      plain: 'plain',
      '': '',
    };
    // Each is there often enough to be told by its shape.
    const rows = Object.entries(contents).flatMap((entry, n) =>
      Array.from({ length: 3 }, (_, at) => [...entry, `${n}.${at}`]),
    );
    const text = rows.map(([xml, , id]) => `<row><id>${id}</id><t>${xml}</t><n>x<m>${id}</m></n></row>`).join('\n');
    expect(await read(`<r>${text}</r>`, 'id', 't', 't.b', 'n')).toEqual(
      rows.map(([xml = '', value, id]) => [
        id,
        value,
        /<b>/.test(xml) ? xml.replace(/^.*<b>(.*)<\/b>.*$/, '$1').replace(/<.?i>/g, '') : undefined,
        `x${id}`,
      ]),
    );
  });

  test('has the limit of a record', async () => {
    const long = `<r><row><t>${`${'x'.repeat(1_000)}<b>y</b>`.repeat(1_100)}</t></row></r>`;
    const found = await readAll({ read: readXml, wanted: ['t'] }, [Buffer.from(long)]);
    expect(found.fault?.message).toBe('Record 1 has more than 1048576 characters.');
  });
});

describe('a document', () => {
  test.for([
    '<r><row a="1" a="1"/></r>',
    '<r><row a="<"/></r>',
    "<r><row a='x<y'/></r>",
    '<r><row>]]></row></r>',
    '<r><row/></r><r/>',
    '< r/>',
    '<r></ r>',
    '<r><row>\u0001</row></r>',
    '<r>&constructor;</r>',
    '<r>&nbsp;</r>',
    '<!foo><r/>',
    '\n<?xml version="1.0"?><r/>',
    '<r><?xml version="1.0"?></r>',
    '<r><row a="1"b="2"/></r>',
    '<r><row a=1/></r>',
    '<r><row a/></r>',
    '<r><!-- a -- b --></r>',
    '<r><row></r>',
    '<r>&#0;</r>',
    'x<r/>',
    '<r/>x',
    '<!DOCTYPE r SYSTEM><r/>',
    '<!DOCTYPE r><!DOCTYPE r><r/>',
    '<r><!DOCTYPE r></r>',
  ])('that is not well-formed fails: %j', async (text) => {
    expect(await read(text, 'a')).toMatch(/^The XML cannot be read after record \d+: ./);
  });

  test.for([
    '<!DOCTYPE r [<!ENTITY a "b">]><r><row>&a;</row></r>',
    '<!DOCTYPE r SYSTEM "http://127.0.0.1/r.dtd" [ ]><r/>',
    '<!DOCTYPE r [<r>]><r/>',
    '<!DOCTYPE r [<?p?>]><r/>',
  ])('with declarations of its own is refused: %s', async (text) => {
    expect(await read(text, 'a')).toMatch(/^The XML has a DOCTYPE with declarations of its own, which are refused/);
  });

  test.for([
    '<!DOCTYPE cXML SYSTEM "http://xml.cxml.org/schemas/cXML/1.2.014/cXML.dtd">',
    '<?xml version="1.0"?>\n<!DOCTYPE BMECAT PUBLIC "-//x//y" \'z[1].dtd\'>\n',
    '<!DOCTYPE r>',
  ])('may name a DTD, whose entities are not known: %s', async (type) => {
    const rows = '<r><row a="]]>&lt;">=" &gt; <b/>]] ></row></r>';
    expect(await read(type + rows, '@a')).toEqual([[']]><']]);
    expect(await read(`${type}<r>&auml;</r>`, '@a')).toContain('"&auml;" is no character');
  });
});

describe('the encoding', () => {
  const text = (declared?: string): string =>
    `${declared === undefined ? '' : `<?xml version="1.0" encoding="${declared}"?>`}<r><row><t>Größe €</t></row></r>`;
  const utf16be = (value: string): Buffer => Buffer.from(value, 'utf16le').swap16();
  const latin = (declared: string, euro = 0x80): Buffer => {
    const bytes = Buffer.from(text(declared).replace('€', '\u0001'), 'latin1');
    bytes[bytes.indexOf(1)] = euro;
    return bytes;
  };

  test.for<[string, Buffer, string]>([
    ['declared as ISO-8859-15', latin('ISO-8859-15', 0xa4), 'utf-8'],
    ['declared as windows-1252', latin('Windows-1252'), 'utf-8'],
    ['declared as ISO-8859-1, which profiles call windows-1252', latin('iso-8859-1'), 'windows-1252'],
    ['declared as UTF-8', Buffer.from(text('UTF-8')), 'utf-8'],
    ['of the profile', latin('windows-1252').subarray(text('windows-1252').indexOf('<r>')), 'windows-1252'],
    ['of a mark', Buffer.from(`\ufeff${text()}`, 'utf16le'), 'utf-8'],
    ['of a mark that the declaration repeats', utf16be(`\ufeff${text('UTF-16')}`), 'utf-16be'],
    ['of two bytes without a mark', Buffer.from(text('utf-16'), 'utf16le'), 'utf-8'],
    ['of a mark of UTF-8', Buffer.from(`\ufeff${text('utf-8')}`), 'utf-8'],
  ])('%s is obeyed', async ([, bytes, encoding]) => {
    expect(await readBytes(bytes, ['t'], encoding)).toEqual([['Größe €']]);
  });

  test('declared as IBM850 is obeyed', async () => {
    const bytes = Buffer.from(
      '<?xml version="1.0" encoding="IBM850"?><r><row><t>Gr\u0094\u00e1e</t></row></r>',
      'latin1',
    );
    expect(await readBytes(bytes, ['t'])).toEqual([['Größe']]);
  });

  test('declared as UTF-8 by a file in another one says how it can be read', async () => {
    const { fault } = await readAll({ read: readXml, wanted: ['t'] }, [latin('UTF-8')]);
    expect(fault?.message).toMatch(/^The XML declares the encoding UTF-8, which its bytes are not of\. Correct/);
  });

  test.for<[string, Buffer, string, RegExp]>([
    [
      'a declaration and the profile',
      Buffer.from(text('UTF-8')),
      'windows-1252',
      /declares the encoding UTF-8, and the profile says windows-1252\. Set the profile's encoding to utf-8/,
    ],
    [
      'a mark and the profile',
      Buffer.from(`\ufeff${text()}`, 'utf16le'),
      'windows-1252',
      /is in the encoding utf-16le, and the profile says windows-1252/,
    ],
    [
      'a mark and a declaration',
      Buffer.from(`\ufeff${text('ISO-8859-1')}`),
      'utf-8',
      /declares the encoding ISO-8859-1, and its byte-order mark says utf-8/,
    ],
    [
      'bytes and a declaration',
      Buffer.from(text('utf-16')),
      'utf-8',
      /declares the encoding utf-16, and its bytes are not UTF-16/,
    ],
    [
      'two bytes and a declaration',
      Buffer.from(`\ufeff${text('utf-8')}`, 'utf16le'),
      'utf-8',
      /declares the encoding utf-8, and its bytes are utf-16le/,
    ],
    [
      'what is not known',
      Buffer.from(text('x-acme')),
      'utf-8',
      /declares the encoding x-acme, which is not known here/,
    ],
  ])('that contradicts is said: %s', async ([, bytes, encoding, message]) => {
    expect(await readBytes(bytes, ['t'], encoding)).toMatch(message);
  });
});
