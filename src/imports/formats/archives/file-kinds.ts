import { FileFault } from '#src/imports/formats/records/records.ts';

/** Bytes by which the kind of a file is recognised. */
const headBytes = 1024;
const oldWorkbook = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/** Kinds of files that profiles of these formats cannot read, recognised by their first bytes, or by their text without leading space. */
const kinds: readonly { formats: string; is: (head: Buffer, text: string) => boolean; fault: string }[] = [
  {
    formats: 'csv json ndjson xml xlsx any',
    is: (head) => head.subarray(0, oldWorkbook.length).equals(oldWorkbook),
    fault:
      'The file is a workbook of the old format (.xls), or one with a password. Save it as .xlsx without a password, or as CSV.',
  },
  {
    formats: 'csv json ndjson xml xlsx any',
    is: (head) => head.subarray(0, 5).equals(Buffer.from('%PDF-')),
    fault: 'The file is a PDF. Send the data as CSV, JSON, XML or .xlsx.',
  },
  {
    formats: 'csv json ndjson xlsx any',
    is: (_head, text) => /^(<!--[^]*?-->\s*)?<(!doctype html|html|head|meta|body|style|table)\b/i.test(text),
    fault:
      'The file is a web page (HTML), whatever it is named. Open it in a spreadsheet and save it as .xlsx or CSV; if it was fetched, see whether its address answers an error or a login.',
  },
  {
    formats: 'csv json ndjson xlsx',
    is: (_head, text) => text.startsWith('<?xml') && text.includes('urn:schemas-microsoft-com:office:spreadsheet'),
    fault: 'The file is a spreadsheet in XML of 2003. Save it as .xlsx or CSV.',
  },
  {
    formats: 'csv json ndjson xlsx',
    is: (_head, text) => text.startsWith('<?xml'),
    fault: 'The file is XML. Use a profile that reads xml, or send it in the format of the profile.',
  },
  {
    formats: 'csv xml xlsx',
    is: (_head, text) => /^(\[\s*)?\{\s*"/.test(text),
    fault: 'The file is JSON. Use a profile that reads json or ndjson, or send it in the format of the profile.',
  },
  {
    formats: 'xlsx',
    is: (head) => head.length > 0 && !head.subarray(0, 2).equals(Buffer.from('PK')),
    fault:
      'The file is not a workbook (.xlsx), whatever it is named. Use a profile that reads its format, such as csv, or save it as .xlsx.',
  },
];

/** Passes the bytes of a file on. Throws FileFault for a file that is plainly of another kind than a profile of this format reads. */
export async function* refuseOtherKinds(bytes: AsyncIterable<Buffer>, format: string): AsyncGenerator<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  let isTold = false;
  for await (const chunk of bytes) {
    if (isTold) {
      yield chunk;
      continue;
    }
    head = head.length > 0 ? Buffer.concat([head, chunk]) : chunk;
    if (needsMore(head)) continue;
    assertKind(head, format);
    isTold = true;
    yield head;
  }
  if (isTold) return;
  assertKind(head, format);
  if (head.length > 0) yield head;
}

/** True if more bytes may reveal another kind. Only markup and JSON wait for them, so that other files are read as they arrive. */
const needsMore = (head: Buffer): boolean =>
  head.length < oldWorkbook.length || (head.length < headBytes && /^([<[{]|$)/.test(readText(head)));

// Half of the bytes of UTF-16 are NULs.
const readText = (head: Buffer): string =>
  head
    .toString('utf8')
    .replace(/[\0\ufeff\ufffd]/g, '')
    .trimStart();

/** Throws FileFault for the first bytes of a file that is of another kind than a profile of this format reads, or than any does. */
export function assertKind(bytes: Buffer, format = 'any'): void {
  const head = bytes.subarray(0, headBytes);
  const text = readText(head);
  const other = kinds.find(({ formats, is }) => formats.split(' ').includes(format) && is(head, text));
  if (other) throw new FileFault(other.fault);
}

/** Says what an archive with these files is, which has no workbook in XML. */
export function otherArchive(names: readonly string[]): string {
  const has = (name: string): boolean => names.includes(name);
  if (has('xl/workbook.bin')) return 'The file is a binary workbook (.xlsb). Save it as .xlsx.';
  if (has('mimetype') && has('content.xml')) return 'The file is an OpenDocument spreadsheet (.ods). Save it as .xlsx.';
  if (has('Index/Document.iwa')) return 'The file is a document of Numbers. Export it as .xlsx.';
  const packed = names.find((name) => name.endsWith('.xlsx'))?.slice(0, 200);
  if (packed !== undefined)
    return `The archive is not a workbook: it has the file ${packed}. Send the .xlsx itself, which is packed already.`;
  return 'The archive is not a workbook. Save it as .xlsx.';
}
