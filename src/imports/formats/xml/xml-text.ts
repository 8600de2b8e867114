import type { SAXParser } from 'sax';
import { FileFault } from '#src/imports/formats/records/records.ts';
import { strictXml as createParser } from '#src/infra/xml/strict-xml.ts';

/** A parser of XML that throws FileFault. */
export const strictXml = (lastRead: () => string): SAXParser =>
  createParser({ lastRead, fault: (reason) => new FileFault(reason) });

const special = /[&<>"\t\n\r]/g;
/** Line breaks and tabs are written as references, since readers turn them into spaces in attributes. */
const references: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};
// oxlint-disable-next-line no-control-regex -- these are the characters that XML cannot have.
const impossible = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

/** The text in XML. Throws FileFault for characters that XML has no way to write. */
export function xmlText(text: string): string {
  if (impossible.test(text))
    throw new FileFault(
      `XML cannot hold the control characters of ${JSON.stringify(text.slice(0, 100))}. Use CSV or JSON.`,
    );
  return text.replace(special, (character) => references[character] as string);
}
