import type { ParentColumn } from '#src/imports/formats/records/parent-cells.ts';
import { FileFault, type Reading } from '#src/imports/formats/records/records.ts';

/** An object or a list on the way to the records, and how it is left: by a member, or by each item. */
export type JsonContainer = { kind: 'object'; key: string; isOptional: boolean } | { kind: 'list' };

/** A column of an object around the record. */
export interface JsonParentColumn extends ParentColumn {
  /** The members that lead to it from that object. */
  members: readonly string[];
}

/** The record path and the columns that a profile reads from a file. */
export interface JsonLayout {
  /** From the root on; the last is the list of records. */
  containers: readonly JsonContainer[];
  parents: readonly JsonParentColumn[];
}

const recordPathHelp =
  'Name members from the root on, such as data.items, products[].variants for the records in each item of a list or, where a file may be without the list, data.items?';
const parentPattern = /^(?:\.\.\/)+/;

/** Throws FileFault for an invalid path, and for a column that cannot stand where the profile places it. */
export function jsonLayout({ wanted, recordPath }: Pick<Reading, 'wanted' | 'recordPath'>): JsonLayout {
  const containers: JsonContainer[] = [];
  if (recordPath !== null) {
    const steps = recordPath.split('.');
    for (const [at, step] of steps.entries()) {
      const [, key = '', optional, each] = /^([^?[\]]*)(\??)(\[\])?$/.exec(step) ?? [];
      if ((key === '' && (at > 0 || each === undefined || optional !== '')) || key === '*')
        throw new FileFault(
          `"${recordPath}" cannot be read as a path from "${steps.slice(at).join('.')}" on. ${recordPathHelp}`,
        );
      if (each !== undefined && at === steps.length - 1)
        throw new FileFault(`Leave out the "[]" at the end of "${recordPath}": the path names the list itself.`);
      if (key !== '') containers.push({ kind: 'object', key, isOptional: optional === '?' });
      if (each !== undefined) containers.push({ kind: 'list' });
    }
  }
  containers.push({ kind: 'list' });
  const parents = wanted.flatMap(({ name }, place) => {
    const [steps] = parentPattern.exec(name) ?? [];
    return steps === undefined ? [] : [parentColumn(containers, { name, place, up: steps.length / '../'.length })];
  });
  return { containers, parents };
}

function parentColumn(
  containers: readonly JsonContainer[],
  { name, place, up }: { name: string; place: number; up: number },
): JsonParentColumn {
  const objects = [...containers.keys()].filter((at) => containers[at]?.kind === 'object');
  const level = objects.at(-up);
  if (level === undefined)
    throw new FileFault(
      `"${name}" leads out of the file. As many objects are around a record as the record path has steps: ${objects.length}.`,
    );
  const members = name.slice(up * '../'.length).split('.');
  if (members.includes(''))
    throw new FileFault(`"${name}" names no member. Write ../ and the members, such as ../title.`);
  const rest = containers.slice(level).flatMap((container) => (container.kind === 'object' ? [container.key] : []));
  if (members.every((member, at) => at >= rest.length || member === rest[at]))
    throw new FileFault(`"${name}" is what the records are in, or a record. Name a member beside them.`);
  return { name, place, level, members };
}
