import { FileFault } from './records.ts';

/** Dotted columns as the members of a record. */
export interface ColumnTree {
  /** Where the text of the member itself is in a row. */
  place?: number;
  members: Map<string, ColumnTree>;
}

export function columnTree(names: readonly string[]): ColumnTree {
  const root: ColumnTree = { members: new Map() };
  names.forEach((name, place) => {
    let at = root;
    for (const part of name.split('.')) {
      let next = at.members.get(part);
      if (!next) at.members.set(part, (next = { members: new Map() }));
      at = next;
    }
    if (at.place !== undefined) throw new FileFault(`Two columns are named "${name}".`);
    at.place = place;
  });
  return root;
}
