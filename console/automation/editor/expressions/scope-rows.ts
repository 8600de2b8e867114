import type { ScopeEntry } from './completions.ts';
import { outputsNode } from './pinned-entries.ts';
import { shortJson } from './short-json.ts';

/** An entry as a row of the tree. */
export interface ScopeRow {
  entry: ScopeEntry;
  hasMembers: boolean;
  isOpen: boolean;
}

/** A tree of more entries is shown with its first two levels open. */
const fewEntries = 60;
const openLevels = 2;

/** Headers are many and rarely read, so they would push what is read out of view. */
const closedAtFirst = 'trigger.payload.headers';

/** The name of a row, so that the names from the root on are the path that is inserted. */
export const rowName = (entry: ScopeEntry): string =>
  outputsNode(entry) === undefined ? entry.name : `${entry.name}.outputs`;

/** Whether an entry is open before anybody has touched it. */
export const isOpenAtFirst = ({ depth, path }: ScopeEntry, count: number): boolean =>
  path !== closedAtFirst && (count <= fewEntries || depth < openLevels);

/** What a field reads most stands first: the item of its loop. */
const ranks = ['item', 'index', 'nodes', 'trigger'];

/** The entries with those trees first that a field reads most. */
export function nearestFirst(entries: readonly ScopeEntry[]): ScopeEntry[] {
  const trees: ScopeEntry[][] = [];
  for (const entry of entries) {
    if (entry.depth === 0) trees.push([entry]);
    else trees.at(-1)?.push(entry);
  }
  const rank = ([root]: readonly ScopeEntry[]) => {
    const place = ranks.indexOf(root?.name ?? '');
    return place === -1 ? ranks.length : place;
  };
  return trees.toSorted((a, b) => rank(a) - rank(b)).flat();
}

/** The first node that a text reads and that left nothing in the run that is shown; undefined where all have. */
export function nodeWithoutData(text: string, entries: readonly ScopeEntry[]): string | undefined {
  const ids = entries.flatMap((entry) => (entry.isDeclared ? [outputsNode(entry)] : []));
  return ids.find((id) => id !== undefined && new RegExp(`\\bnodes(?:\\.${id}(?![\\w-])|\\[.${id}.\\])`).test(text));
}

/** The rows of a tree: what is open, or with a search what it finds, below its parents. */
export function scopeRows(
  entries: readonly ScopeEntry[],
  { search, toggled }: { search: string; toggled: ReadonlySet<string> },
): ScopeRow[] {
  const wanted = search.trim().toLowerCase();
  const isFound = wanted === '' ? undefined : foundWithParents(entries, wanted);
  const rows: ScopeRow[] = [];
  let closedAt = Number.POSITIVE_INFINITY;
  for (const [index, entry] of entries.entries()) {
    if (isFound && !isFound.has(index)) continue;
    if (entry.depth > closedAt) continue;
    closedAt = Number.POSITIVE_INFINITY;
    const hasMembers = (entries[index + 1]?.depth ?? 0) > entry.depth;
    const isOpen =
      hasMembers && (isFound !== undefined || isOpenAtFirst(entry, entries.length) !== toggled.has(entry.path));
    if (hasMembers && !isOpen) closedAt = entry.depth;
    rows.push({ entry, hasMembers, isOpen });
  }
  return rows;
}

/** The places of entries that a search finds by their path or their value, and of what is around them. */
function foundWithParents(entries: readonly ScopeEntry[], wanted: string): Set<number> {
  const found = new Set<number>();
  const parents: number[] = [];
  for (const [index, { path, depth, sample }] of entries.entries()) {
    parents.length = depth;
    parents.push(index);
    const isValue = sample !== null && shortJson(sample).toLowerCase().includes(wanted);
    if (isValue || path.toLowerCase().includes(wanted)) for (const each of parents) found.add(each);
  }
  return found;
}

/** The row to which a key leads, as in every tree; undefined for keys that lead nowhere. */
export function rowAfterKey(rows: readonly ScopeRow[], current: number, key: string): number | undefined {
  if (key === 'ArrowDown') return Math.min(current + 1, rows.length - 1);
  if (key === 'ArrowUp') return Math.max(current - 1, 0);
  if (key === 'Home') return 0;
  if (key === 'End') return rows.length - 1;
  const row = rows[current];
  if (key === 'ArrowRight' && row?.isOpen) return current + 1;
  if (key === 'ArrowLeft' && row && !row.isOpen) {
    const parent = rows.slice(0, current).findLastIndex(({ entry }) => entry.depth < row.entry.depth);
    return parent === -1 ? current : parent;
  }
  return undefined;
}
