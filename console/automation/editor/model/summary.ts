import { type Change, difference } from './changes.ts';
import { type Edge, type Graph, isObject, type Json, nodeAt, type NodeUnit, placeKey } from './graph.ts';
import { followRenames } from './renamed.ts';
import { isSame } from './same.ts';

export type ChangeKind = 'added' | 'removed' | 'changed';

/** A value within a node or the settings that differs; undefined where there is none. */
export interface FieldChange {
  /** Names of members and indexes of lists, from the outermost in: `config`, `cases`, `0`. */
  path: readonly string[];
  from: unknown;
  to: unknown;
}

export interface NodeChange {
  kind: ChangeKind;
  path: string;
  /** Its path before, where it was renamed. */
  was?: string;
  /** What it is a node of, on the newer side that has it. */
  slug: string;
  fields: readonly FieldChange[];
}

/** The difference of two graphs as a person reads it; without pinned outputs, which are not published. */
export interface Summary {
  nodes: readonly NodeChange[];
  edges: readonly { kind: 'added' | 'removed'; edge: Edge }[];
  /** Settings, and other members of the blob. */
  members: readonly FieldChange[];
  /** Notes that were written, changed or removed. */
  notes: number;
  /** Paths of nodes and triggers that are drawn elsewhere. */
  moved: readonly string[];
}

/** What turns one graph into another, by node. */
export function summarize(from: Graph, to: Graph): Summary {
  const { graph, names } = followRenames(from, to);
  const summary = summarizeChanges(difference(graph, to));
  const changed = new Map(summary.nodes.map((change) => [change.path, change]));
  for (const [path, was] of names) {
    const slug = nodeAt(to, path)?.node ?? '';
    changed.set(path, { kind: 'changed', slug, fields: [], ...changed.get(path), path, was });
  }
  return { ...summary, nodes: sorted([...changed.values()]) };
}

const sorted = (nodes: readonly NodeChange[]): NodeChange[] =>
  nodes.toSorted((one, other) => (one.path < other.path ? -1 : 1));

/** Changes by node. A node that was added or removed is not said to have moved as well. */
export function summarizeChanges(all: readonly Change[]): Summary {
  const changes = all.map((change) => ({ ...change, ...partsOf(change.key) }));
  const ofKind = (kind: string) => changes.filter((change) => change.kind === kind);
  const nodes = ofKind('node').map((change) => nodeChange(change.name, change.from, change.to));
  const isNew = new Set(nodes.filter(({ kind }) => kind !== 'changed').map(({ path }) => placeKey(path)));
  return {
    nodes: sorted(nodes),
    edges: ofKind('edge').map((change) => ({
      kind: change.to === undefined ? 'removed' : 'added',
      edge: (change.to ?? change.from) as Edge,
    })),
    members: ofKind('member').flatMap((change) => fieldChanges(change.from, change.to, change.name.split('.'))),
    notes: ofKind('note').length,
    moved: ofKind('place').flatMap(({ key, name }) => (isNew.has(key) ? [] : [name])),
  };
}

export const isEmpty = ({ nodes, edges, members, notes, moved }: Summary): boolean =>
  nodes.length + edges.length + members.length + notes + moved.length === 0;

const partsOf = (key: string) => ({ kind: key.slice(0, key.indexOf(':')), name: key.slice(key.indexOf(':') + 1) });

function nodeChange(path: string, from: unknown, to: unknown): NodeChange {
  const kind = from === undefined ? 'added' : to === undefined ? 'removed' : 'changed';
  const { node } = (to ?? from) as NodeUnit;
  return { kind, path, slug: node, fields: fieldChanges(from ?? nothing, to ?? nothing, []) };
}

const nothing: Json = { config: {} };

/** The values that differ, as deep as both sides have the same members, or lists of the same length. */
export function fieldChanges(from: unknown, to: unknown, path: readonly string[] = []): FieldChange[] {
  if (isSame(from, to)) return [];
  const isAlike = isObject(from) && isObject(to);
  if (!isAlike && !(Array.isArray(from) && Array.isArray(to) && from.length === to.length)) return [{ path, from, to }];
  const [before, after] = [from as Json, to as Json];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const read = (values: Json, name: string) => (Object.hasOwn(values, name) ? values[name] : undefined);
  return [...names].flatMap((name) => fieldChanges(read(before, name), read(after, name), [...path, name]));
}
