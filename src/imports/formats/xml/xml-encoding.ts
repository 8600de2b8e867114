import { FileFault } from '#src/imports/formats/records/records.ts';
import { decode } from '#src/imports/formats/text/decode.ts';

/** Bytes in which a declaration of XML ends, at most. */
const maxHead = 1_024;

const declaration = /^<\?xml\s(?:[^>]*?\s)?encoding\s*=\s*["']([A-Za-z][\w.:-]*)["']/;

/** The encoding of the first bytes, by a byte-order mark, or by zeros if `<` has two bytes. */
const beginnings: readonly { bytes: readonly number[]; encoding: string; isMark: boolean }[] = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'utf-8', isMark: true },
  { bytes: [0xff, 0xfe], encoding: 'utf-16le', isMark: true },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be', isMark: true },
  { bytes: [0x3c, 0x00], encoding: 'utf-16le', isMark: false },
  { bytes: [0x00, 0x3c], encoding: 'utf-16be', isMark: false },
];

/**
 * The file as UTF-8, by its byte-order mark, else by the encoding that it declares, else by the profile's. Throws FileFault where two of these
 * contradict each other; a profile that says UTF-8, as it does by default, leaves it to the file.
 */
export async function* decodeXml(bytes: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const source = bytes[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  let isWhole = false;
  while (!isWhole && head.length < maxHead && !head.includes('>')) {
    const { done, value } = await source.next();
    if (done) isWhole = true;
    else head = Buffer.concat([head, value]);
  }
  async function* all(): AsyncGenerator<Buffer> {
    if (head.length > 0) yield head;
    if (isWhole) return;
    for (;;) {
      const { done, value } = await source.next();
      if (done) return;
      yield value;
    }
  }
  const beginning = head.subarray(0, maxHead);
  const own = detectEncoding(beginning, encoding);
  try {
    yield* decode(all(), own);
  } catch (error) {
    const { declared } = declaredEncoding(beginning);
    if (declared === undefined || !(error instanceof FileFault) || !error.message.includes('not in the encoding'))
      throw error;
    throw new FileFault(
      `The XML declares the encoding ${declared}, which its bytes are not of. Correct the declaration, or send it without one and name the encoding in the profile.`,
      { cause: error },
    );
  } finally {
    await source.return?.();
  }
}

/** The encoding that the beginning of an XML file says it has; undefined where it says none. */
export function declaredEncoding(head: Buffer): {
  isMark: boolean;
  begins: string | undefined;
  declared: string | undefined;
} {
  const beginning = beginnings.find(({ bytes }) => bytes.every((byte, at) => head[at] === byte));
  const begins = beginning?.encoding;
  const is16 = begins?.startsWith('utf-16') === true;
  const text = new TextDecoder(is16 ? begins : 'latin1').decode(head);
  const [, declared] = declaration.exec(text.replace(/^\u00ef\u00bb\u00bf/, '')) ?? [];
  return { isMark: beginning?.isMark === true, begins, declared };
}

function detectEncoding(head: Buffer, ofProfile: string): string {
  const { isMark, begins, declared } = declaredEncoding(head);
  const is16 = begins?.startsWith('utf-16') === true;
  const labelled = declared === undefined ? undefined : decoderName(declared);
  if (declared !== undefined && labelled === undefined)
    throw new FileFault(`The XML declares the encoding ${declared}, which is not known here. Send it in UTF-8.`);
  // UTF-16 is declared without the order of its bytes, and a file without that is in neither.
  const isAny16 = labelled?.startsWith('utf-16') === true;
  if (labelled !== undefined && isAny16 !== is16 && (isAny16 || begins !== undefined))
    throw new FileFault(
      `The XML declares the encoding ${declared}, and its bytes are ${is16 ? begins : isMark ? 'utf-8' : 'not UTF-16'}. Correct the declaration.`,
    );
  if (isMark && !is16 && labelled !== undefined && labelled !== 'utf-8')
    throw new FileFault(
      `The XML declares the encoding ${declared}, and its byte-order mark says utf-8. Correct the declaration.`,
    );
  const own = begins ?? labelled;
  if (own === undefined) return ofProfile;
  if (ofProfile !== 'utf-8' && ofProfile !== own && decoderName(ofProfile) !== own)
    throw new FileFault(
      `The XML ${declared === undefined ? `is in the encoding ${own}` : `declares the encoding ${declared}`}, and the profile says ${ofProfile}. Set the profile's encoding to utf-8, which leaves it to the file.`,
    );
  return own;
}

/** The encoding by which it is decoded: windows-1252 for `latin1` and `ISO-8859-1`. Undefined for an unknown one. */
function decoderName(label: string): string | undefined {
  const name = label.toLowerCase();
  if (/^(?:cp|ibm)0*850$/.test(name)) return 'cp850';
  if (/^(cp|ibm)850$/i.test(label)) return 'cp850';
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}
