import type { SAXParser, Tag } from 'sax';
import { createParentCells, type ParentCells } from '#src/imports/formats/records/parent-cells.ts';
import { FileFault, type FileRecord } from '#src/imports/formats/records/records.ts';
import { columnsWithin, type ElementColumns, type XmlLayout } from './xml-columns.ts';
import { rootScope, type XmlScope } from './xml-names.ts';
import { strictXml } from './xml-text.ts';
import { createXmlTrail, type XmlTrail } from './xml-trail.ts';

const maxDepth = 100;
/** Characters of one record, at most. */
const maxRecordLength = 1024 * 1024;

/** The text of an open element, for these places. */
interface Collected {
  depth: number;
  places: readonly number[];
  from: number;
}

const lineBreak = /^(?:[^:]*:)?br$/i;
const nothing: readonly ElementColumns[] = [];

/** Reads the elements at the record path, or the root's children. */
export class XmlRecords {
  hasRoot = false;
  readonly #layout: XmlLayout;
  readonly #parentPlaces: ReadonlySet<number>;
  readonly #trail: XmlTrail;
  readonly #parents: ParentCells;
  readonly #handOver: (record: FileRecord) => void;
  readonly #parser: SAXParser;
  // One entry for each open element, after one for the file: the namespaces in it, and the columns wanted of its content.
  readonly #scopes: XmlScope[];
  readonly #wanted: (readonly ElementColumns[])[] = [nothing];
  readonly #collected: Collected[] = [];
  #records = 0;
  #record: FileRecord | undefined;
  #length = 0;
  #text = '';

  constructor(layout: XmlLayout, handOver: (record: FileRecord) => void) {
    const { parents, namespaces } = layout;
    this.#layout = layout;
    this.#parentPlaces = new Set(parents.map(({ place }) => place));
    this.#trail = createXmlTrail({ ...layout, isByNamespace: namespaces !== null });
    this.#parents = createParentCells(parents, handOver);
    this.#handOver = parents.length === 0 ? handOver : this.#parents.take;
    this.#scopes = [rootScope(namespaces)];
    this.#parser = strictXml(() => `record ${this.#records}`);
    this.#parser.onopentag = (tag) => this.#open(tag as Tag);
    // oxlint-disable-next-line prefer-add-event-listener -- sax calls handler properties; its parser has no addEventListener.
    this.#parser.ontext = (text) => this.#takeText(text);
    this.#parser.oncdata = (text) => this.#takeText(text);
    this.#parser.onclosetag = () => this.#close();
  }

  write(part: string): void {
    this.#parser.write(part);
  }

  /** Throws FileFault if the file is cut short, or the record path leads nowhere. */
  end(): void {
    this.#parser.close();
    if (this.hasRoot) this.#trail.end();
  }

  #open({ name, attributes }: Tag): void {
    const { names, depthOfRecords, roots } = this.#layout;
    const depth = this.#wanted.length;
    this.hasRoot = true;
    if (depth > maxDepth) throw new FileFault(`The XML nests more than ${maxDepth} elements.`);
    const scope = (this.#scopes.at(-1) as XmlScope).within(attributes);
    const element = scope.element(name);
    const own = scope.attributes(attributes);
    this.#scopes.push(scope);
    if (this.#collected.length > 0 && lineBreak.test(name)) this.#text += '\n';
    if (this.#trail.open(element, name, own)) {
      this.#records += 1;
      this.#length = 0;
      this.#record = { line: this.#records, cells: names.map(() => undefined) };
    }
    let found = this.#wanted.at(-1) as readonly ElementColumns[];
    if (found.length > 0) found = columnsWithin(found, element, own);
    const root = this.#trail.matched() === depth ? roots[depth] : undefined;
    if (root) {
      if (depth < depthOfRecords) this.#parents.open(depth);
      found = [...found, root];
    }
    for (const columns of found) if (columns.attributes.size > 0) this.#putAttributes(columns, own);
    if (root && depth < depthOfRecords) this.#settleAttributes(root);
    if (found.length > 0) this.#collect(found, depth);
    this.#wanted.push(found);
  }

  #takeText(added: string): void {
    this.#trail.text(added);
    if (!this.#record && this.#collected.length === 0) return;
    this.#length += added.length;
    if (this.#length > maxRecordLength)
      throw new FileFault(`Record ${this.#records} has more than ${maxRecordLength} characters.`);
    if (this.#collected.length > 0) this.#text += added;
  }

  #close(): void {
    const { depthOfRecords, roots } = this.#layout;
    const depth = this.#wanted.length - 1;
    while (this.#collected.at(-1)?.depth === depth) {
      const { places, from } = this.#collected.pop() as Collected;
      const own = this.#text.slice(from);
      for (const place of places) this.#put(place, own);
    }
    if (this.#collected.length === 0) this.#text = '';
    const isOnPath = this.#trail.matched() === depth;
    if (this.#record && depth === depthOfRecords && isOnPath) {
      const ended = this.#record;
      this.#record = undefined;
      this.#handOver(ended);
    }
    if (isOnPath && depth < depthOfRecords && roots[depth]) this.#parents.close(depth);
    this.#trail.close();
    this.#wanted.pop();
    this.#scopes.pop();
  }

  #put(place: number, value: string): void {
    if (this.#parentPlaces.has(place)) return this.#parents.set(place, value);
    if (!this.#record) return;
    if (this.#record.cells[place] !== undefined) this.#record.fault = `It has ${this.#layout.names[place]} twice.`;
    this.#record.cells[place] = value;
  }

  #putAttributes(columns: ElementColumns, attributes: Readonly<Record<string, string>>): void {
    for (const [attribute, places] of columns.attributes) {
      const value = attributes[attribute];
      if (value !== undefined) for (const place of places) this.#put(place, value);
    }
  }

  /** A parent of records has all its attributes once it is open. */
  #settleAttributes(columns: ElementColumns): void {
    for (const place of [...columns.attributes.values()].flat())
      if (this.#parentPlaces.has(place)) this.#parents.settle(place);
  }

  #collect(found: readonly ElementColumns[], depth: number): void {
    for (const { texts } of found) {
      if (texts.length === 0) continue;
      if (!this.#record && this.#collected.length === 0) this.#length = 0;
      this.#collected.push({ depth, places: texts, from: this.#text.length });
    }
  }
}
