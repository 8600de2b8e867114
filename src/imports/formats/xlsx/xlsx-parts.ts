import type { Tag } from 'sax';
import type { Archive } from '#src/imports/formats/archives/archive.ts';
import { otherArchive } from '#src/imports/formats/archives/file-kinds.ts';
import { FileFault } from '#src/imports/formats/records/records.ts';
import { strictXml } from '#src/imports/formats/xml/xml-text.ts';

/** Characters of shared strings, which stay in memory, at most; each counts some more for itself, as even an empty one takes room. */
const maxSharedLength = 64 * 1024 * 1024;
const stringLength = 16;
/** Elements that a workbook's small parts may have. */
const maxElements = 100_000;

/** The parts of a workbook that reading one of its sheets needs. */
export interface Workbook {
  /** The path of the sheet in the archive. */
  sheetPath: string;
  sharedStrings: readonly string[];
  /** True if the cell format of this number shows dates. */
  isDate: (style: number) => boolean;
  /** Days are counted from 1904, as old Macs did. */
  from1904: boolean;
}

/** The name without its prefix: producers choose their own. */
export const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** Names are without their prefixes, unless they are `whole`. */
export interface Handlers {
  open: (name: string, attributes: Readonly<Record<string, string>>) => void;
  text?: (text: string) => void;
  close?: (name: string, whole: string) => void;
}

/** Reads a part of the archive. */
export interface Part {
  /** Takes bytes that may end within a character. */
  write: (bytes: Buffer) => void;
  close: () => void;
  /** The character after the last one that was written, from the beginning. */
  position: () => number;
}

export function createPart(lastRead: () => string, { open, text, close }: Handlers): Part {
  const parser = strictXml(lastRead);
  parser.onopentag = ({ name, attributes }: Tag) => open(localName(name), attributes);
  if (text) {
    // oxlint-disable-next-line prefer-add-event-listener -- sax calls handler properties; its parser has no addEventListener.
    parser.ontext = text;
    parser.oncdata = text;
  }
  if (close) parser.onclosetag = (name) => close(localName(name), name);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return {
    write: (bytes) => void parser.write(decoder.decode(bytes, { stream: true })),
    close: () => void parser.close(),
    position: () => parser.position,
  };
}

async function parseWhole(archive: Archive, path: string, handlers: Handlers): Promise<boolean> {
  const bytes = archive.read(path);
  if (!bytes) return false;
  const part = createPart(() => path, handlers);
  for await (const chunk of bytes) part.write(chunk);
  part.close();
  return true;
}

/** Reads what the sheet of this name needs, or the first one. Throws FileFault where there is none. */
export async function readWorkbook(archive: Archive, sheet: string | null): Promise<Workbook> {
  const sheets: { name: string; relation: string }[] = [];
  let from1904 = false;
  let elements = 0;
  const bounded = (): void => {
    elements += 1;
    if (elements > maxElements) throw new FileFault('The workbook has more parts than can be read.');
  };
  const isWorkbook = await parseWhole(archive, 'xl/workbook.xml', {
    open(name, attributes) {
      bounded();
      if (name === 'workbookPr') from1904 = ['1', 'true'].includes(attributes['date1904'] ?? '');
      const relation = Object.entries(attributes).find(([key]) => key !== 'id' && localName(key) === 'id')?.[1];
      if (name === 'sheet') sheets.push({ name: attributes['name'] ?? '', relation: relation ?? '' });
    },
  });
  if (!isWorkbook) throw new FileFault(otherArchive([...archive.entries.keys()]));
  const found = sheet === null ? sheets[0] : sheets.find(({ name }) => name === sheet);
  if (!found) {
    const names = sheets.slice(0, 20).map(({ name }) => `"${name}"`);
    throw new FileFault(`The workbook has no sheet "${sheet ?? ''}". It has ${names.join(', ')}.`);
  }
  const paths = new Map<string, string>();
  await parseWhole(archive, 'xl/_rels/workbook.xml.rels', {
    open(name, { Id: id = '', Target: target = '' }) {
      bounded();
      if (name === 'Relationship') paths.set(id, target.startsWith('/') ? target.slice(1) : `xl/${target}`);
    },
  });
  return {
    sheetPath: paths.get(found.relation) ?? '',
    sharedStrings: await readSharedStrings(archive),
    isDate: await readDateStyles(archive),
    from1904,
  };
}

async function readSharedStrings(archive: Archive): Promise<string[]> {
  const strings: string[] = [];
  let length = 0;
  const collect = collectText((text) => {
    length += text.length + stringLength;
    if (length > maxSharedLength)
      throw new FileFault(`The workbook has more than ${maxSharedLength} characters of text. Send it as CSV.`);
    strings.push(text);
  }, 'si');
  await parseWhole(archive, 'xl/sharedStrings.xml', collect);
  return strings;
}

/** Hands over the text of each element of this name: that of the runs in it, without hints of pronunciation. */
export function collectText(take: (text: string) => void, element: string): Required<Handlers> {
  let parts: string[] | undefined;
  let isHint = false;
  let isText = false;
  return {
    open(name) {
      if (name === element) parts = [];
      if (name === 'rPh') isHint = true;
      isText = name === 't' && !isHint;
    },
    text(text) {
      if (isText) parts?.push(text);
    },
    close(name) {
      if (name === 'rPh') isHint = false;
      isText = false;
      if (name !== element || !parts) return;
      take(withoutEscapes(parts.join('')));
      parts = undefined;
    },
  };
}

/** Characters that XML cannot hold are written as `_x0007_`. */
export const withoutEscapes = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;

/** Formats that every workbook has: dates, times, and those of East Asia. */
const isBuiltInDate = (format: number): boolean =>
  (format >= 14 && format <= 22) ||
  (format >= 27 && format <= 36) ||
  (format >= 45 && format <= 47) ||
  (format >= 50 && format <= 58);

async function readDateStyles(archive: Archive): Promise<(style: number) => boolean> {
  const own = new Map<number, boolean>();
  const styles: number[] = [];
  let isOfCells = false;
  await parseWhole(archive, 'xl/styles.xml', {
    open(name, { numFmtId: id = '0', formatCode: code = '' }) {
      if (name === 'cellXfs') isOfCells = true;
      if (name === 'numFmt') own.set(Number(id), showsDate(code));
      if (name === 'xf' && isOfCells && styles.length < maxElements) styles.push(Number(id));
    },
    close(name) {
      if (name === 'cellXfs') isOfCells = false;
    },
  });
  return (style) => {
    const format = styles[style];
    return format !== undefined && (own.get(format) ?? isBuiltInDate(format));
  };
}

/** A code has letters of dates outside of quoted text, escapes and brackets of colours or locales. */
const showsDate = (code: string): boolean =>
  /[dmyhs]/i.test(code.replace(/"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '').replace(/general/gi, ''));
