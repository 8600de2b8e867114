import type { ParentColumn } from '#src/imports/formats/records/parent-cells.ts';
import { FileFault, type Reading } from '#src/imports/formats/records/records.ts';
import { type Namespaces, profileNames } from './xml-names.ts';
import {
  parseXmlColumn,
  parseXmlRecordPath,
  takes,
  type XmlColumn,
  type XmlRecordStep,
  type XmlStep,
} from './xml-paths.ts';

/** The columns that are read from an element and from those within it. */
export interface ElementColumns {
  /** Places of its text. */
  texts: number[];
  /** Places of its attributes. */
  attributes: Map<string, number[]>;
  /** By the names of elements in it. */
  inner: Map<string, { step: XmlStep; columns: ElementColumns }[]>;
}

/** The record path and the columns that a profile reads from a file. */
export interface XmlLayout {
  names: readonly string[];
  /** Null: the children of any root. */
  path: readonly XmlRecordStep[] | null;
  depthOfRecords: number;
  namespaces: Namespaces | null;
  /** The columns that are read from the elements on the path, by their depth from 1, and from records. */
  roots: readonly (ElementColumns | undefined)[];
  parents: readonly ParentColumn[];
}

/** Throws FileFault for an invalid path, and for a column that cannot stand where the profile places it. */
export function xmlLayout({
  wanted,
  recordPath,
  namespaces = null,
}: Pick<Reading, 'wanted' | 'recordPath' | 'namespaces'>): XmlLayout {
  const known = profileNames(namespaces);
  const path = recordPath === null ? null : parseXmlRecordPath(recordPath, known);
  const depthOfRecords = path?.length ?? 2;
  const roots: (ElementColumns | undefined)[] = Array.from({ length: depthOfRecords + 1 }, () => undefined);
  const parents: ParentColumn[] = [];
  for (const [place, { name }] of wanted.entries()) {
    const column = parseXmlColumn(name, known);
    const level = depthOfRecords - column.up;
    checkPlace(name, { column, level, path });
    if (column.up > 0) parents.push({ name, place, level });
    let at = (roots[level] ??= none());
    for (const step of column.steps) at = findInner(at, step);
    if (column.attribute === null) at.texts.push(place);
    else at.attributes.set(column.attribute, [...(at.attributes.get(column.attribute) ?? []), place]);
  }
  const names = wanted.map(({ name }) => name);
  return { names, path, depthOfRecords, namespaces, roots, parents };
}

const none = (): ElementColumns => ({ texts: [], attributes: new Map(), inner: new Map() });

function findInner({ inner }: ElementColumns, step: XmlStep): ElementColumns {
  const others = inner.get(step.name) ?? [];
  const known = others.find((other) => JSON.stringify(other.step.where) === JSON.stringify(step.where));
  if (known) return known.columns;
  const columns = none();
  inner.set(step.name, [...others, { step, columns }]);
  return columns;
}

function checkPlace(
  name: string,
  {
    column: { up, steps, attribute },
    level,
    path,
  }: { column: XmlColumn; level: number; path: readonly XmlRecordStep[] | null },
): void {
  if (up === 0) return;
  if (level < 1)
    throw new FileFault(
      `"${name}" leads out of the file. As many elements are around a record as the record path has steps before the last: ${up + level - 1}.`,
    );
  if (path === null && steps.length > 0)
    throw new FileFault(`"${name}" needs a record path: without one, all children of the root are records.`);
  const rest = (path ?? []).slice(level);
  const isOnPath = steps.every((step, at) => at >= rest.length || step.name === rest[at]?.name);
  if (isOnPath && (attribute === null || steps.length >= rest.length))
    throw new FileFault(`"${name}" is what the records are in, or a record. Name an element beside them.`);
}

/** The columns that are read from an element within an element from which these are read. */
export function columnsWithin(
  around: readonly ElementColumns[],
  name: string,
  attributes: Readonly<Record<string, string>>,
): ElementColumns[] {
  const found: ElementColumns[] = [];
  for (const { inner } of around) {
    const candidates = inner.get(name);
    if (!candidates) continue;
    for (const { step, columns } of candidates) if (takes(step, name, attributes)) found.push(columns);
  }
  return found;
}
