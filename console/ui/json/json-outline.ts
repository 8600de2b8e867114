import { isContainer, membersOf, type Span, stringOf, wholeSpan } from './json-spans.ts';

/** A value as a row of the tree. */
export interface JsonRow extends Span {
  parent: JsonRow | null;
  depth: number;
}

/** A text of at most so many characters is shown with every level open. */
const smallText = 4_000;
/** A larger document opens the members of its root only if it has at most this many. */
const fewMembers = 20;
const maxMatches = 10_000;

/** The rows that a JSON text shows as a tree. Only what is open has been read. */
export class JsonOutline {
  readonly text: string;
  readonly root: JsonRow;
  readonly #members = new Map<JsonRow, readonly JsonRow[]>();
  readonly #open = new Set<JsonRow>();
  #rows: readonly JsonRow[] | undefined;

  constructor(text: string) {
    this.text = text;
    this.root = { ...wholeSpan(text), parent: null, depth: 0 };
    if (text.length <= smallText) this.openAll();
    else {
      this.setOpen(this.root, true);
      const members = this.members(this.root);
      if (members.length <= fewMembers) for (const member of members) this.setOpen(member, true);
    }
  }

  hasMembers = (row: JsonRow): boolean => isContainer(this.text, row);
  isOpen = (row: JsonRow): boolean => this.#open.has(row);

  members(row: JsonRow): readonly JsonRow[] {
    const known = this.#members.get(row);
    if (known) return known;
    const members = this.hasMembers(row)
      ? membersOf(this.text, row).map((span) => ({ ...span, parent: row, depth: row.depth + 1 }))
      : [];
    this.#members.set(row, members);
    return members;
  }

  setOpen(row: JsonRow, isOpen: boolean): void {
    if (!this.hasMembers(row) || this.isOpen(row) === isOpen) return;
    if (isOpen) this.#open.add(row);
    else this.#open.delete(row);
    this.#rows = undefined;
  }

  /** Opens every level below the root. */
  openAll(): void {
    const waiting = [this.root];
    for (let row = waiting.pop(); row; row = waiting.pop()) {
      this.setOpen(row, true);
      for (const member of this.members(row)) if (this.hasMembers(member)) waiting.push(member);
    }
  }

  /** Closes all but the root. */
  closeAll(): void {
    this.#open.clear();
    this.#rows = undefined;
    this.setOpen(this.root, true);
  }

  /** Every row that is shown, in order; the same array until something opens or closes. */
  rows(): readonly JsonRow[] {
    if (this.#rows) return this.#rows;
    const rows: JsonRow[] = [];
    const add = (row: JsonRow): void => {
      rows.push(row);
      if (this.isOpen(row)) this.members(row).forEach(add);
    };
    add(this.root);
    return (this.#rows = rows);
  }

  /** Positions in the text where `search` is found, in any case; at most 10,000. */
  find(search: string): number[] {
    if (search === '') return [];
    const escaped = JSON.stringify(search).slice(1, -1);
    const pattern = new RegExp(escaped.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), 'gi');
    const positions: number[] = [];
    for (const { index } of this.text.matchAll(pattern)) if (positions.push(index) === maxMatches) break;
    return positions;
  }

  /** Opens all that surrounds a position, and returns its row: a value, or the name before it. */
  reveal(position: number): JsonRow {
    let row = this.root;
    for (;;) {
      const members = this.members(row);
      const next = members[firstEndingAfter(members, position)];
      // Between its name and its value, or at the end of its parent.
      if (!next || (next.start > position && typeof next.key === 'number')) return row;
      this.setOpen(row, true);
      if (next.start > position) return next;
      row = next;
    }
  }

  /** Its JSON as it stands in the text. */
  source = (row: JsonRow): string => this.text.slice(row.start, row.end);

  /** What copying takes: a string without its quotes, anything else as JSON. */
  value(row: JsonRow): string {
    const source = this.source(row);
    return source.startsWith('"') ? stringOf(source) : source;
  }
}

/** Where the value is, as an expression of a workflow says it, below `root`: ``trigger.payload.items[3].`order no` ``. */
export function pathOf(row: JsonRow, root: string): string {
  if (row.parent === null) return root;
  const before = pathOf(row.parent, root);
  if (typeof row.key === 'number') return `${before}[${row.key}]`;
  return /^[A-Za-z_]\w*$/.test(row.key ?? '') ? `${before}.${row.key}` : `${before}.\`${row.key}\``;
}

function firstEndingAfter(spans: readonly Span[], position: number): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle] as Span).end <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}
