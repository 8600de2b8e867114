import { XMLBuilder } from 'fast-xml-parser';
import { unwritable, type FormatOptions } from './formats.ts';

const elementName = /^[A-Za-z_][A-Za-z0-9_.-]*(:[A-Za-z_][A-Za-z0-9_.-]*)?$/;

const control = /[^\P{Cc}\t\n\r\u007f-\u009f]|[\ufffe\uffff]/u;

/** The writer escapes text but not names, so a name could contain markup. */
function checkNames(value: unknown): void {
  if (typeof value === 'string' && control.test(value)) throw unwritable('XML cannot hold control characters.');
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (Array.isArray(item)) throw unwritable('XML has no lists of lists; name the inner list.');
      checkNames(item);
    }
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    const isAttribute = key.startsWith('@');
    if (key !== '#text' && !elementName.test(isAttribute ? key.slice(1) : key)) {
      throw unwritable(`"${key.slice(0, 64)}" cannot be the name of an XML element or attribute.`);
    }
    if (isAttribute && typeof member === 'object' && member !== null) {
      throw unwritable(`The attribute ${key.slice(0, 64)} takes text only.`);
    }
    checkNames(member);
  }
}

const xmlBuilder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  processEntities: true,
  suppressEmptyNode: true,
  suppressBooleanAttributes: false,
});

/** An object with one member becomes that element; anything else is wrapped in an element `root`. */
export function renderXml(data: unknown, { root }: Pick<FormatOptions, 'root'>): string {
  const isDocument =
    typeof data === 'object' &&
    data !== null &&
    !Array.isArray(data) &&
    Object.keys(data).length === 1 &&
    !Array.isArray(Object.values(data)[0]) &&
    elementName.test(Object.keys(data)[0] ?? '');
  const document = isDocument ? data : { [root]: Array.isArray(data) ? { item: data } : data };
  checkNames(document);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${xmlBuilder.build(document)}`;
}
