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
}

/** The text of an element that is open, for these places. */
interface Collected {
  depth: number;
  places: readonly number[];
  from: number;
}

const lineBreak = /^(?:[^:]*:)?br$/i;
const nothing: readonly ElementColumns[] = [];

export function createXmlRecords(layout: XmlLayout, handOver: (record: FileRecord) => void): XmlRecords {
  const { names, depthOfRecords, roots, parents } = layout;
  const parentPlaces = new Set(parents.map(({ place }) => place));
  const trail = createXmlTrail({ ...layout, isByNamespace: layout.namespaces !== null });
  const around = createParentCells(parents, handOver);
  const take = parents.length === 0 ? handOver : around.take;
  /** Of the elements that are open, from the file on: the namespaces in them, and what is wanted of what is in them. */
  const scopes: XmlScope[] = [rootScope(layout.namespaces)];
  const wanted: (readonly ElementColumns[])[] = [nothing];
  const collected: Collected[] = [];
  let records = 0;
  let record: FileRecord | undefined;
  let length = 0;
  let text = '';
  let hasRoot = false;

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

  const parser = strictXml(() => `record ${records}`);
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
      records += 1;
      length = 0;
      record = { line: records, cells: names.map(() => undefined) };
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
    if (length > maxRecordLength) throw new FileFault(`Record ${records} has more than ${maxRecordLength} characters.`);
    if (collected.length > 0) text += added;
  };
  // oxlint-disable-next-line prefer-add-event-listener -- sax calls handler properties; its parser has no addEventListener.
  parser.ontext = takeText;
  parser.oncdata = takeText;
  parser.onclosetag = () => {
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
  };
}
