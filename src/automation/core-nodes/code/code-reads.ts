import type { Node } from 'acorn';

/** The names that a code node has in scope, in the order of the documentation. */
export const scopeNames = [
  'trigger',
  'nodes',
  'inputs',
  'item',
  'index',
  'run',
  'values',
  'log',
  'state',
  'http',
  'files',
  'signal',
  'idempotencyKey',
] as const;

/** The names that code reads; only these are copied into the sandbox. The list may be longer than necessary, but never shorter. */
export interface CodeReads {
  names: ReadonlySet<string>;
  /** The ids of nodes whose outputs the code reads; `all` if it computes an id or uses `nodes` as a whole. */
  nodes: ReadonlySet<string> | 'all';
}

/** Reads the body of the compiled function. */
export function findReads(body: Node): CodeReads {
  const known = new Set<string>(scopeNames);
  const names = new Set<string>();
  const ids = new Set<string>();
  let all = false;
  for (const { node, parent } of walk(body)) {
    const name = node.type === 'Identifier' ? (node as Node & { name: string }).name : undefined;
    if (name === undefined || !known.has(name) || isMemberName(node, parent)) continue;
    names.add(name);
    if (name !== 'nodes') continue;
    const id = readMember(node, parent);
    if (id === undefined) all = true;
    else ids.add(id);
  }
  return { names, nodes: all ? 'all' : ids };
}

export function hasImport(body: Node): boolean {
  for (const { node } of walk(body)) if (node.type === 'ImportExpression') return true;
  return false;
}

interface Place {
  node: Node;
  parent: Node | undefined;
}

/** Walks without recursion, because code may be nested deeper than the call stack allows. */
function* walk(root: Node): Generator<Place> {
  const open: Place[] = [{ node: root, parent: undefined }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { node } = place;
    yield place;
    for (const child of Object.values(node))
      for (const each of Array.isArray(child) ? child : [child])
        if (isNode(each)) open.push({ node: each, parent: node });
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

type Member = Node & { object: Node; property: Node & { name?: string; value?: unknown }; computed: boolean };

/** The name of the member: `map` for `nodes.map` and `nodes['map']`. */
function readMember(node: Node, parent: Node | undefined): string | undefined {
  if (!isMember(parent) || parent.object !== node) return undefined;
  const { property, computed } = parent;
  if (!computed) return property.name;
  return typeof property.value === 'string' ? property.value : undefined;
}

/** True for the name of a member, such as `nodes` in `order.nodes`. */
const isMemberName = (node: Node, parent: Node | undefined): boolean =>
  isMember(parent) && !parent.computed && parent.property === node;

const isMember = (node: Node | undefined): node is Member => node?.type === 'MemberExpression';
