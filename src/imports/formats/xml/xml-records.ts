import type { Tag } from 'sax';
import { createParentCells } from '#src/imports/formats/records/parent-cells.ts';
import { FileFault, type FileRecord } from '#src/imports/formats/records/records.ts';
import { columnsWithin, type ElementColumns, type XmlLayout } from './xml-columns.ts';
import { rootScope, type XmlScope } from './xml-names.ts';
import { strictXml } from './xml-text.ts';
import { createXmlTrail } from './xml-trail.ts';

const maxDepth = 100;
/** Characters of one record, at most. */
const maxRecordLength = 1024 * 1024;

/** Reads the elements at the record path, or the root's children. */
export interface XmlRecords {
  write: (text: string) => void;
  /** Throws FileFault where the file is cut short, or the record path leads nowhere. */
  close: () => void;
  hasRoot: () => boolean;
  /** Whether the last character that was written ends a record. */
  isBetween: () => boolean;
  /** The name of the last record's element, and how it ended. */
  last: () => { element: string; end: string } | undefined;
  /** The namespaces that hold around the records. */
  scope: () => XmlScope;
  /** Hands over a record that was not parsed. */
  take: (record: FileRecord) => void;
}

/** The text of an element that is open, for these places. */
interface Collected {
  depth: number;
  places: readonly number[];
  from: number;
}

const lineBreak = /^(?:[^:]*:)?br$/i;
const nothing: readonly ElementColumns[] = [];

export function createXmlRecords(
  layout: XmlLayout,
  {
    begin,
    end,
    line,
    scope: given = rootScope(layout.namespaces),
  }: { begin: () => void; end: (record: FileRecord) => void; line: () => number; scope?: XmlScope },
): XmlRecords {
  const { names, depthOfRecords, roots, parents } = layout;
  const parentPlaces = new Set(parents.map(({ place }) => place));
  const trail = createXmlTrail({ ...layout, isByNamespace: layout.namespaces !== null });
  const around = createParentCells(parents, end);
  const take = parents.length === 0 ? end : around.take;
  /** Of the elements that are open, from the file on: the namespaces in them, and what is wanted of what is in them. */
  const scopes: XmlScope[] = [given];
  const wanted: (readonly ElementColumns[])[] = [nothing];
  const collected: Collected[] = [];
  let record: FileRecord | undefined;
  let length = 0;
  let text = '';
  let hasRoot = false;
  let endedAt = -1;
  let last: { element: string; end: string } | undefined;

  const put = (place: number, value: string): void => {
    if (parentPlaces.has(place)) around.set(place, value);
    else if (record) {
      if (record.cells[place] !== undefined) record.fault = `It has ${names[place]} twice.`;
      record.cells[place] = value;
    }
  };
  const putAttributes = (columns: ElementColumns, attributes: Readonly<Record<string, string>>): void => {
    for (const [attribute, places] of columns.attributes) {
      const value = attributes[attribute];
      if (value !== undefined) for (const place of places) put(place, value);
    }
  };
  /** What is around records has all its attributes once it is open. */
  const settleAttributes = (columns: ElementColumns): void => {
    for (const place of [...columns.attributes.values()].flat()) if (parentPlaces.has(place)) around.settle(place);
  };
  const collect = (found: readonly ElementColumns[], depth: number): void => {
    for (const { texts } of found) {
      if (texts.length === 0) continue;
      if (!record && collected.length === 0) length = 0;
      collected.push({ depth, places: texts, from: text.length });
    }
  };

  const parser = strictXml(() => `record ${line()}`);
  parser.onopentag = ({ name, attributes }: Tag) => {
    const depth = wanted.length;
    hasRoot = true;
    if (depth > maxDepth) throw new FileFault(`The XML nests more than ${maxDepth} elements.`);
    const scope = (scopes.at(-1) as XmlScope).within(attributes);
    const element = scope.element(name);
    const own = scope.attributes(attributes);
    scopes.push(scope);
    if (collected.length > 0 && lineBreak.test(name)) text += '\n';
    if (trail.open(element, name, own)) {
      begin();
      length = 0;
      record = { line: line(), cells: names.map(() => undefined) };
    }
    let found = wanted.at(-1) as readonly ElementColumns[];
    if (found.length > 0) found = columnsWithin(found, element, own);
    const root = trail.matched() === depth ? roots[depth] : undefined;
    if (root) {
      if (depth < depthOfRecords) around.open(depth);
      found = [...found, root];
    }
    for (const columns of found) if (columns.attributes.size > 0) putAttributes(columns, own);
    if (root && depth < depthOfRecords) settleAttributes(root);
    if (found.length > 0) collect(found, depth);
    wanted.push(found);
  };
  const takeText = (added: string): void => {
    trail.text(added);
    if (!record && collected.length === 0) return;
    length += added.length;
    if (length > maxRecordLength) throw new FileFault(`Record ${line()} has more than ${maxRecordLength} characters.`);
    if (collected.length > 0) text += added;
  };
  // oxlint-disable-next-line prefer-add-event-listener -- sax calls handler properties; its parser has no addEventListener.
  parser.ontext = takeText;
  parser.oncdata = takeText;
  parser.onclosetag = (name) => {
    const depth = wanted.length - 1;
    while (collected.at(-1)?.depth === depth) {
      const { places, from } = collected.pop() as Collected;
      const own = text.slice(from);
      for (const place of places) put(place, own);
    }
    if (collected.length === 0) text = '';
    const isOnPath = trail.matched() === depth;
    if (record && depth === depthOfRecords && isOnPath) {
      const ended = record;
      record = undefined;
      take(ended);
      endedAt = parser.position;
      const isSelfClosing = parser.tag.isSelfClosing;
      if (last?.element !== name || isSelfClosing !== (last.end === '/>'))
        last = { element: name, end: isSelfClosing ? '/>' : `</${name}>` };
    }
    if (isOnPath && depth < depthOfRecords && roots[depth]) around.close(depth);
    trail.close();
    wanted.pop();
    scopes.pop();
  };
  return {
    write: (part) => void parser.write(part),
    close() {
      parser.close();
      if (hasRoot) trail.end();
    },
    hasRoot: () => hasRoot,
    isBetween: () => endedAt === parser.position,
    last: () => last,
    scope: () => scopes.at(-1) as XmlScope,
    take,
  };
}
