import type { WorkflowGraph, WorkflowNode } from '#src/automation/blob/blob.inputs.ts';
import { workflowGraphSchema } from '#src/automation/blob/blob.inputs.ts';
import { type ValueType, jsonType } from '#src/automation/expressions/value-type.ts';

export const scopeLimits = {
  /** Entries of one tree. */
  entries: 1_000,
  /** Levels below a root. */
  depth: 8,
  /** Members of one object. */
  members: 100,
  /** Characters of a text. */
  text: 200,
  /** Characters of the name of a member that has an entry. */
  name: 200,
} as const;

/** Something in scope, of a tree in which parents come before their members. */
export interface ScopeEntry {
  /** An expression that reads it. */
  path: string;
  name: string;
  depth: number;
  /** Null where it is not known before a run. */
  type: ValueType | null;
  /** Null for objects and lists, whose members have entries, and where there is no value. */
  sample: unknown;
  /** True if members were left out. */
  hasMore: boolean;
  /** True for outputs that a manifest declares and no run has left. */
  isDeclared: boolean;
}

/** A part of a scope: with a value, or with the members that are known without one. */
export interface ScopePart {
  name: string;
  path: string;
  value?: unknown;
  type?: ValueType | null;
  isDeclared?: boolean;
  members?: ScopePart[];
  /** Members that the value does not have, but may have in another run. */
  otherwise?: readonly ScopePart[];
}

interface Growing {
  entry: ScopeEntry;
  part: ScopePart;
  members: Growing[];
}

const wordKey = /^[A-Za-z_][A-Za-z0-9_]*$/;
const operators = new Set(['and', 'or', 'in']);

/** The step that reads a member; undefined for a name that a path cannot hold. */
export function stepTo(name: string): string | undefined {
  if (wordKey.test(name) && !operators.has(name)) return `.${name}`;
  const isQuotable = name !== '' && name.length <= scopeLimits.name && !name.includes('`') && !name.includes('{{');
  return isQuotable ? `.\`${name}\`` : undefined;
}

/** The members of a part that have entries. Of a list this is the first item: the others are alike. */
function listMembers(part: ScopePart): { shown: ScopePart[]; all: number } {
  const { shown, all } = ownMembers(part);
  const others = part.otherwise ?? [];
  return { shown: [...shown, ...others], all: all + others.length };
}

function ownMembers({ value, path, members }: ScopePart): { shown: ScopePart[]; all: number } {
  if (members) return { shown: members.slice(0, scopeLimits.members), all: members.length };
  if (typeof value !== 'object' || value === null) return { shown: [], all: 0 };
  if (Array.isArray(value)) {
    return value.length === 0
      ? { shown: [], all: 0 }
      : { shown: [{ name: '[0]', path: `${path}[0]`, value: value[0] as unknown }], all: value.length };
  }
  const shown: ScopePart[] = [];
  let all = 0;
  for (const [name, inner] of Object.entries(value)) {
    all += 1;
    const step = shown.length < scopeLimits.members ? stepTo(name) : undefined;
    if (step !== undefined) shown.push({ name, path: path + step, value: inner });
  }
  return { shown, all };
}

const grow = (part: ScopePart, depth: number): Growing => {
  const { value } = part;
  const isText = typeof value === 'string' && value.length > scopeLimits.text;
  const sample = isText ? `${value.slice(0, scopeLimits.text)}…` : typeof value === 'object' ? null : (value ?? null);
  const type = part.type ?? (part.members ? 'object' : value === undefined ? null : jsonType(value));
  return {
    part,
    members: [],
    entry: {
      path: part.path,
      name: part.name,
      depth,
      type,
      sample,
      hasMore: isText,
      isDeclared: part.isDeclared ?? false,
    },
  };
};

/**
 * The entries of a scope, parents first. They are bounded breadth first, so that one large value does not take the room of the others.
 */
export function scopeEntries(roots: readonly ScopePart[]): ScopeEntry[] {
  const tops = roots.map((part) => grow(part, 0));
  const queue = [...tops];
  for (const { part, entry, members } of queue) {
    const { shown, all } = listMembers(part);
    const room = entry.depth >= scopeLimits.depth ? 0 : Math.max(scopeLimits.entries - queue.length, 0);
    for (const member of shown.slice(0, room)) members.push(grow(member, entry.depth + 1));
    queue.push(...members);
    if (members.length < all) entry.hasMore = true;
  }
  const listed = ({ entry, members }: Growing): ScopeEntry[] => [entry, ...members.flatMap(listed)];
  return tops.flatMap(listed);
}

/** A node whose outputs are in scope, and the path of its step: inside a loop, that of one item. */
export interface VisibleNode {
  node: WorkflowNode;
  stepPath: string;
}

export interface VisibleNodes {
  /** Those that precede the node, in its own graph and in the graphs around it. */
  nodes: VisibleNode[];
  /** Nodes that put an item in scope, from the outside in. */
  lists: ItemList[];
}

/** A loop or filter, and the path of its ids. */
export interface ItemList {
  node: WorkflowNode;
  path: string;
}

/**
 * What a node sees, named by its path of ids (`each/send`); all nodes outside of loops for null. Undefined for an unknown node. `items` are
 * the items of the loops around it, from the outermost, each the first where there is no number.
 */
export function visibleNodes(
  graph: WorkflowGraph,
  path: string | null,
  items: readonly number[] = [],
): VisibleNodes | undefined {
  if (path === null) return { nodes: graph.nodes.map((node) => ({ node, stepPath: node.id })), lists: [] };
  const nodes = new Map<string, VisibleNode>();
  const lists: ItemList[] = [];
  let level: WorkflowGraph | undefined = graph;
  let prefix = '';
  const ids = path.split('/');
  for (const [depth, id] of ids.entries()) {
    const own: WorkflowNode | undefined = level?.nodes.find((node) => node.id === id);
    if (!level || !own) return undefined;
    for (const node of nodesBefore(level, id)) nodes.set(node.id, { node, stepPath: `${prefix}${node.id}` });
    if (depth === ids.length - 1) {
      if (own.node === 'core:filter') lists.push({ node: own, path });
      break;
    }
    prefix += `${id}/${items[lists.length] ?? 0}/`;
    if (own.node === 'core:for-each') lists.push({ node: own, path: ids.slice(0, depth + 1).join('/') });
    level = workflowGraphSchema.safeParse(own.config['body']).data;
  }
  return { nodes: [...nodes.values()], lists };
}

/** The nodes from which edges lead to this one, in the graph's order. */
function nodesBefore({ nodes, edges }: WorkflowGraph, id: string): WorkflowNode[] {
  const sources = Map.groupBy(edges, ({ to }) => to);
  const found = new Set<string>();
  const stack = [id];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    for (const { from } of sources.get(next) ?? []) {
      if (!('node' in from) || found.has(from.node)) continue;
      found.add(from.node);
      stack.push(from.node);
    }
  }
  return nodes.filter((node) => found.has(node.id));
}
