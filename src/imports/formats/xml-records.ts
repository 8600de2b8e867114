import type { Tag } from 'sax';
import { FileFault } from './file-fault.ts';
import type { FileRecord, Reading } from './records.ts';
import { strictXml } from './strict-xml.ts';

const maxDepth = 100;
/** Characters of one record, at most. */
const maxRecordLength = 1024 * 1024;

/** Reads the elements at the record path, or the root's children. */
export interface XmlRecords {
  write: (text: string) => void;
  close: () => void;
  hasRoot: () => boolean;
  /** The names of the elements that are open. */
  open: readonly string[];
  /** Whether the last character that was written ends a record. */
  isBetween: () => boolean;
  /** The name of the last record's element, and how it ended. */
  last: () => { element: string; end: string } | undefined;
}

export function createXmlRecords(
  { wanted, recordPath }: Pick<Reading, 'wanted' | 'recordPath'>,
  { begin, end, line }: { begin: () => void; end: (record: FileRecord) => void; line: () => number },
): XmlRecords {
  const places = new Map(wanted.map(({ name }, place) => [name, place]));
  const path = recordPath === null ? null : recordPath.split('.');
  const depthOfRecords = path?.length ?? 2;
  const open: string[] = [];
  let record: FileRecord | undefined;
  let length = 0;
  let texts: string[] = [];
  let hasRoot = false;
  let endedAt = -1;
  let last: { element: string; end: string } | undefined;

  const isRecord = (): boolean =>
    open.length === depthOfRecords && (path === null || path.every((name, at) => open[at] === name));
  const put = (name: string, text: string): void => {
    const place = places.get(name);
    if (!record || place === undefined) return;
    if (record.cells[place] !== undefined) record.fault = `It has ${name} twice.`;
    record.cells[place] = text;
  };
  const within = (): string => open.slice(depthOfRecords).join('.');

  const parser = strictXml(() => `record ${line()}`);
  parser.onopentag = ({ name, attributes }: Tag) => {
    open.push(name);
    hasRoot = true;
    if (open.length > maxDepth) throw new FileFault(`The XML nests more than ${maxDepth} elements.`);
    if (isRecord()) {
      begin();
      length = 0;
      record = { line: line(), cells: wanted.map(() => undefined) };
    }
    texts = [];
    if (!record) return;
    const prefix = within();
    for (const [attribute, value] of Object.entries(attributes)) put(`${prefix && `${prefix}.`}@${attribute}`, value);
  };
  const take = (text: string): void => {
    if (!record) return;
    length += text.length;
    if (length > maxRecordLength) throw new FileFault(`Record ${line()} has more than ${maxRecordLength} characters.`);
    texts.push(text);
  };
  // oxlint-disable-next-line prefer-add-event-listener -- sax calls handler properties; its parser has no addEventListener.
  parser.ontext = take;
  parser.oncdata = take;
  parser.onclosetag = (name) => {
    if (record && open.length > depthOfRecords) put(within(), texts.join(''));
    if (record && open.length === depthOfRecords) {
      end(record);
      record = undefined;
      endedAt = parser.position;
      const isSelfClosing = parser.tag.isSelfClosing;
      if (last?.element !== name || isSelfClosing !== (last.end === '/>'))
        last = { element: name, end: isSelfClosing ? '/>' : `</${name}>` };
    }
    texts = [];
    open.pop();
  };
  return {
    write: (text) => void parser.write(text),
    close: () => void parser.close(),
    hasRoot: () => hasRoot,
    open,
    isBetween: () => endedAt === parser.position,
    last: () => last,
  };
}
