import type { Tag } from 'sax';
import { decode } from './decode.ts';
import { FileFault } from './file-fault.ts';
import type { FileRecord, Read } from './records.ts';
import { strictXml } from './strict-xml.ts';

const maxDepth = 100;
/** Characters of one record, at most. */
const maxRecordLength = 1024 * 1024;

/** The elements at the record path, or the root's children, read row by row; they are numbered from 1. */
export const readXml: Read = async function* (bytes, { wanted, recordPath, encoding }) {
  const places = new Map(wanted.map(({ name }, place) => [name, place]));
  const path = recordPath === null ? null : recordPath.split('.');
  const depthOfRecords = path?.length ?? 2;
  const open: string[] = [];
  let batch: FileRecord[] = [];
  let records = 0;
  let record: FileRecord | undefined;
  let length = 0;
  let texts: string[] = [];
  let hasRoot = false;

  const isRecord = (): boolean =>
    open.length === depthOfRecords && (path === null || path.every((name, at) => open[at] === name));
  const put = (name: string, text: string): void => {
    const place = places.get(name);
    if (!record || place === undefined) return;
    if (record.cells[place] !== undefined) record.fault = `It has ${name} twice.`;
    record.cells[place] = text;
  };
  const within = (): string => open.slice(depthOfRecords).join('.');

  const parser = strictXml(() => `record ${records}`);
  parser.onopentag = ({ name, attributes }: Tag) => {
    open.push(name);
    hasRoot = true;
    if (open.length > maxDepth) throw new FileFault(`The XML nests more than ${maxDepth} elements.`);
    if (isRecord()) {
      records += 1;
      length = 0;
      record = { line: records, cells: wanted.map(() => undefined) };
    }
    texts = [];
    if (!record) return;
    const prefix = within();
    for (const [attribute, value] of Object.entries(attributes)) put(`${prefix && `${prefix}.`}@${attribute}`, value);
  };
  const take = (text: string): void => {
    if (!record) return;
    length += text.length;
    if (length > maxRecordLength) throw new FileFault(`Record ${records} has more than ${maxRecordLength} characters.`);
    texts.push(text);
  };
  // oxlint-disable-next-line prefer-add-event-listener -- sax calls handler properties; its parser has no addEventListener.
  parser.ontext = take;
  parser.oncdata = take;
  parser.onclosetag = () => {
    if (record && open.length > depthOfRecords) put(within(), texts.join(''));
    if (record && open.length === depthOfRecords) {
      batch.push(record);
      record = undefined;
    }
    texts = [];
    open.pop();
  };

  const decoder = new TextDecoder();
  for await (const chunk of decode(bytes, encoding)) {
    parser.write(decoder.decode(chunk, { stream: true }));
    if (batch.length === 0) continue;
    yield batch;
    batch = [];
  }
  parser.close();
  if (!hasRoot) throw new FileFault('The file is empty: XML has a root element.');
  if (batch.length > 0) yield batch;
};
