import { type Graph, isObject, pinKey } from '#console/automation/editor/model/graph.ts';
import { nodeRead } from '#console/automation/editor/model/references.ts';
import { ExactNumber } from '#console/graph/exact-numbers.ts';
import type { ScopeEntry } from './completions.ts';

/** As the server bounds the tree of a run. */
const limits = { depth: 8, members: 100, text: 200, entries: 1_000 };

const plainName = /^(?!(?:and|or|in)$)[A-Za-z_]\w*$/;
const outputsPath = /^nodes\.([\w-]+)\.outputs$/;

/** The pinned outputs of a node that the node at `path` sees by its id: those of the nearest loop. */
export function pinOf(graph: Graph, path: string, id: string): unknown {
  const found = nodeRead(graph, path, id);
  return found === undefined ? undefined : graph.get(pinKey(found));
}

/** The id of the node whose outputs an entry is; undefined for any other entry. */
export const outputsNode = ({ path }: ScopeEntry): string | undefined => outputsPath.exec(path)?.[1];

/** The pinned outputs that the node at `path` sees, by the paths of their entries. */
export const pinnedOutputs = (entries: readonly ScopeEntry[], graph: Graph, path: string): [string, unknown][] =>
  entries.flatMap((entry): [string, unknown][] => {
    const id = outputsNode(entry);
    const pin = id === undefined ? undefined : pinOf(graph, path, id);
    return pin === undefined ? [] : [[entry.path, withoutBranch(pin)]];
  });

function withoutBranch(pin: unknown): Record<string, unknown> {
  const { $branch: _, ...outputs } = isObject(pin) ? pin : {};
  return outputs;
}

/** The entries with those of pinned outputs in place of what a run left, because a test run takes the pins. */
export function withPins(entries: readonly ScopeEntry[], graph: Graph, path: string): readonly ScopeEntry[] {
  const found: ScopeEntry[] = [];
  let isReplaced = false;
  for (const entry of entries) {
    if (isReplaced && entry.depth > 1) continue;
    const id = outputsNode(entry);
    const pin = id === undefined ? undefined : pinOf(graph, path, id);
    isReplaced = pin !== undefined;
    if (!isReplaced) found.push(entry);
    else addEntries({ ...entry, isDeclared: false }, withoutBranch(pin), found);
  }
  return found;
}

/** The entries of a value, as the server lists those of a run. */
export function addEntries(entry: ScopeEntry, value: unknown, found: ScopeEntry[]): void {
  const members = Array.isArray(value)
    ? value.slice(0, 1).map((item: unknown): [string, unknown] => ['[0]', item])
    : isObject(value)
      ? Object.entries(value)
      : [];
  const isFull = entry.depth >= limits.depth || found.length >= limits.entries;
  const shown = isFull ? [] : members.slice(0, limits.members);
  const isLong = typeof value === 'string' && value.length > limits.text;
  const all = Array.isArray(value) ? value.length : members.length;
  const sample = isLong ? `${value.slice(0, limits.text)}…` : isObject(value) || Array.isArray(value) ? null : value;
  found.push({ ...entry, type: typeName(value), sample, hasMore: isLong || shown.length < all });
  for (const [name, inner] of shown) {
    const step = name.startsWith('[') ? name : plainName.test(name) ? `.${name}` : `.\`${name}\``;
    addEntries({ ...entry, name, path: entry.path + step, depth: entry.depth + 1 }, inner, found);
  }
}

const typeName = (value: unknown): ScopeEntry['type'] =>
  value === null
    ? 'NULL'
    : Array.isArray(value)
      ? 'ARRAY'
      : value instanceof ExactNumber
        ? 'NUMBER'
        : ((typeof value).toUpperCase() as NonNullable<ScopeEntry['type']>);
