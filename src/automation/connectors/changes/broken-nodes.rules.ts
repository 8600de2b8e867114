import {
  workflowEdgeSchema,
  type WorkflowGraph,
  type WorkflowNode,
  workflowNodeSchema,
} from '#src/automation/blob/blob.inputs.ts';
import { readMembers, type ReadMembers, readPlace } from '#src/automation/expressions/read-members.ts';
import { splitSegments } from '#src/automation/expressions/segments.ts';
import { findMember, isOtherType } from './answer-members.rules.ts';
import type { ApiChangeKind, ComparedNode } from './api-change.ts';
import { findBrokenFields } from './broken-fields.rules.ts';
import { findMove } from './compare-nodes.rules.ts';

/** A place of a workflow that a changed API breaks. */
export interface BrokenPlace {
  kind: ApiChangeKind;
  /** The changed node. */
  slug: string;
  /** The node that the author has to change, with the ids of the loops around it: `each/send`. */
  node: string;
  /** `config.body.number`; `node` for the operation as a whole, and `edges` for an edge. */
  path: string;
  /** The member of the answer that is read: `outputs.body.id`. */
  reads?: string;
}

/** The older and the newer version of a node that changed. The newer one is undefined if its operation was removed. */
export interface ChangedNode {
  before: ComparedNode;
  after: ComparedNode | undefined;
}

interface PlacedNode {
  path: string;
  node: WorkflowNode;
  graph: WorkflowGraph;
  /** The prefix of the ids in this graph: the path of the loops around it. */
  prefix: string;
  /** The place that `item` stands for. */
  item?: ReadMembers;
}

/**
 * Finds the places of a workflow's blob that the changes break. Skips nodes that are not valid, which a draft may have. `find` returns the
 * change of a node of the workflow, or undefined if the node did not change.
 */
export function findBrokenPlaces(blob: unknown, find: (node: WorkflowNode) => ChangedNode | undefined): BrokenPlace[] {
  const placed = [...walk(readGraph(blob))];
  const byPath = new Map(placed.map((each) => [each.path, each]));
  const changed = new Map<string, ChangedNode>();
  for (const { path, node } of placed) {
    const change = find(node);
    if (change) changed.set(path, change);
  }
  if (changed.size === 0) return [];
  return placed.flatMap((each) => {
    const change = changed.get(each.path);
    return [...(change ? findOwn(each, change) : []), ...findReads(each, byPath, changed)];
  });
}

function readGraph(blob: unknown): WorkflowGraph {
  const list = (member: 'nodes' | 'edges'): unknown[] => {
    const value = typeof blob === 'object' && blob !== null ? (blob as Record<string, unknown>)[member] : undefined;
    return Array.isArray(value) ? value : [];
  };
  return {
    nodes: list('nodes').flatMap((node) => workflowNodeSchema.safeParse(node).data ?? []),
    edges: list('edges').flatMap((edge) => workflowEdgeSchema.safeParse(edge).data ?? []),
  };
}

function* walk(graph: WorkflowGraph, prefix = '', item?: ReadMembers): Generator<PlacedNode> {
  for (const node of graph.nodes) {
    const path = prefix + node.id;
    yield { path, node, graph, prefix, ...(item && { item }) };
    if (node.node !== 'core:for-each') continue;
    const { body, items } = node.config;
    yield* walk(readGraph(body), `${path}/`, placeOfItems(items, item));
  }
}

/** Finds the places that break in the changed node itself. */
function findOwn({ path, node, graph }: PlacedNode, { before, after }: ChangedNode): BrokenPlace[] {
  const { slug } = before;
  if (!after) return [{ kind: 'operation_removed', slug, node: path, path: 'node' }];
  const moved = findMove(before, after);
  const lost = new Set((before.branches ?? []).filter((branch) => !after.branches?.includes(branch)));
  const isTaken = graph.edges.some(({ from }) => 'node' in from && from.node === node.id && lost.has(from.branch));
  return [
    ...(moved === undefined ? [] : [{ kind: 'operation_moved' as const, slug, node: path, path: 'node' }]),
    ...findBrokenFields(node.config, before, after).map((field) => ({ ...field, slug, node: path })),
    ...(isTaken ? [{ kind: 'branch_removed' as const, slug, node: path, path: 'edges' }] : []),
  ];
}

/** Finds the places of a node that break because its expressions read changed answers. */
function findReads(
  reader: PlacedNode,
  byPath: ReadonlyMap<string, PlacedNode>,
  changed: ReadonlyMap<string, ChangedNode>,
): BrokenPlace[] {
  const found = new Map<string, BrokenPlace>();
  const { config } = reader.node;
  // The nodes in a loop's body have configs of their own.
  const own = reader.node.node === 'core:for-each' ? { ...config, body: null } : config;
  for (const { source, path } of listSources(own, reader.node))
    for (const [root, id = '', ...members] of readMembers(source, itemsFor(reader))) {
      const at = root === 'nodes' ? resolveId(reader.prefix, id, byPath) : undefined;
      const change = at && changed.get(at.path);
      if (!change?.after || members[0] !== 'outputs') continue;
      const lost = at && findLost(members.slice(1), change.before, change.after, branchesTo(at, reader));
      if (!lost) continue;
      const reads = `outputs.${lost.path.join('.')}`;
      const place = { kind: lost.kind, slug: change.before.slug, node: reader.path, path, reads };
      found.set(`${path} ${reads}`, place);
    }
  return [...found.values()];
}

/** The place of `item` in a node: in the condition of a filter, it is an item of the list that the node filters. */
const itemsFor = ({ node, item }: PlacedNode): ReadMembers | undefined =>
  node.node === 'core:filter' ? placeOfItems(node.config['items'], item) : item;

/** The place that the items of a list come from; undefined unless the list is a single expression. */
function placeOfItems(items: unknown, item: ReadMembers | undefined): ReadMembers | undefined {
  const [only, ...others] = typeof items === 'string' ? readSegments(items.trim()) : [];
  return only !== undefined && others.length === 0 ? readPlace(only, item) : undefined;
}

/** Finds the first member on the path that was removed or has another type, on a branch that leads to the reader. */
function findLost(
  path: readonly string[],
  before: ComparedNode,
  after: ComparedNode,
  branches: ReadonlySet<string>,
): { kind: 'answer_removed' | 'answer_changed'; path: string[] } | undefined {
  for (const [branch, schema] of Object.entries(before.output_schemas ?? {})) {
    const now = after.output_schemas?.[branch];
    if (!now || (branches.size > 0 && !branches.has(branch))) continue;
    for (let length = 1; length <= path.length; length += 1) {
      const part = path.slice(0, length);
      const [last, next] = [findMember(schema, part), findMember(now, part)];
      if (last === 'missing') break;
      if (last !== 'open' && next === 'missing') return { kind: 'answer_removed', path: part };
      if (isOtherType(last, next)) return { kind: 'answer_changed', path: part };
    }
  }
  return undefined;
}

/** The branches of a node that lead to a reader; empty if there are none. */
function branchesTo({ node, graph, prefix }: PlacedNode, reader: PlacedNode): Set<string> {
  const branches = new Set<string>();
  // A reader in a loop is reached through the loop.
  const first = reader.path.slice(prefix.length).split('/', 1)[0] ?? '';
  const pending = [first];
  const seen = new Set(pending);
  for (let id = pending.pop(); id !== undefined; id = pending.pop())
    for (const { from, to } of graph.edges) {
      if (to !== id || !('node' in from)) continue;
      if (from.node === node.id) branches.add(from.branch);
      else if (!seen.has(from.node)) {
        seen.add(from.node);
        pending.push(from.node);
      }
    }
  return branches;
}

/** Looks for a node in the graph of the reader, then in the graphs around it. */
function resolveId(prefix: string, id: string, byPath: ReadonlyMap<string, PlacedNode>): PlacedNode | undefined {
  for (let around = prefix; ; around = around.replace(/[^/]+\/$/, '')) {
    const found = byPath.get(around + id);
    if (found || around === '') return found;
  }
}

interface Source {
  source: string;
  path: string;
}

/** Lists the expressions of a config. The condition of a filter is an expression without braces. */
function listSources(config: Readonly<Record<string, unknown>>, { node }: WorkflowNode): Source[] {
  const { condition } = config;
  const isBare = node === 'core:filter' && typeof condition === 'string' && !condition.includes('{{');
  return [...expressionsIn(config, 'config'), ...(isBare ? [{ source: condition, path: 'config.condition' }] : [])];
}

function expressionsIn(value: unknown, path: string): Source[] {
  if (typeof value === 'string')
    return value.includes('{{') ? readSegments(value).map((source) => ({ source, path })) : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => expressionsIn(inner, `${path}.${key}`));
}

/** Parses a text for its expressions; returns none if it does not parse. */
function readSegments(text: string): string[] {
  try {
    return splitSegments(text).flatMap((segment) => ('source' in segment ? [segment.source] : []));
  } catch {
    return [];
  }
}
