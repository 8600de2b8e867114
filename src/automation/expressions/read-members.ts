import jsonata from 'jsonata';
import { quoteNodeIds } from './plain-path.ts';
import type { AstNode } from './rewrite.ts';

/** The path of a member that an expression reads: `nodes`, `fetch`, `outputs`, `body`, `id`. Items of lists are not part of the path. */
export type ReadMembers = readonly string[];

/** A place in the scope; undefined if it is not known before the run. */
type Place = ReadMembers | undefined;

interface Surroundings {
  /** The value that relative paths begin at. */
  at: Place;
  /** Names that the expression gives to values. */
  names: Readonly<Record<string, Place>>;
}

const scope: ReadMembers = [];

/**
 * Lists every path that an expression reads, also in filters and in functions over the items of a list. Leaves out paths that are unknown
 * before a run. A source that does not parse has no paths. In a loop, the argument `item` is the place that the name `item` stands for.
 */
export function readMembers(source: string, item?: ReadMembers): ReadMembers[] {
  const found: ReadMembers[] = [];
  visit(parse(source), { at: scope, names: {} }, found);
  return found.flatMap((members) => resolveItem(members, item) ?? []);
}

/** The place of the value that an expression yields, for example of the list in `nodes.fetch.outputs.body[active]`; undefined if unknown. */
export function readPlace(source: string, item?: ReadMembers): ReadMembers | undefined {
  const place = visit(parse(source), { at: scope, names: {} }, []);
  return place && resolveItem(place, item)?.[0];
}

function parse(source: string): AstNode | undefined {
  try {
    return jsonata(quoteNodeIds(source)).ast() as unknown as AstNode;
  } catch {
    return undefined;
  }
}

/** Wrapped in a list, because a path is a list itself; undefined if `item` is unknown. */
function resolveItem(members: ReadMembers, item: ReadMembers | undefined): [ReadMembers] | undefined {
  if (members[0] !== 'item') return [members];
  return item && [[...item, ...members.slice(1)]];
}

/** Adds the paths in a part of an expression, and returns the place of its value. */
function visit(node: AstNode | undefined, around: Surroundings, found: ReadMembers[]): Place {
  if (node === undefined) return undefined;
  switch (node.type) {
    case 'path':
      return visitPath(node, around, found);
    case 'block':
      return visitBlock(node, around, found);
    case 'function':
    case 'partial':
      return visitCall(node, around, found);
    case 'lambda':
      visit(node.body, { at: undefined, names: around.names }, found);
      return undefined;
    case 'variable':
      return placeOfVariable(node, around);
    default:
      visitParts(node, around, found);
      return undefined;
  }
}

const members = ['lhs', 'rhs', 'expression', 'expressions', 'condition', 'then', 'else', 'pattern', 'update', 'delete'];

function visitParts(node: AstNode, around: Surroundings, found: ReadMembers[]): void {
  for (const name of members) visitAll(node[name], around, found);
}

/** Visits a part that may be a list, or a list of pairs as in `{key: value}`. */
function visitAll(part: unknown, around: Surroundings, found: ReadMembers[]): void {
  if (Array.isArray(part)) for (const each of part) visitAll(each, around, found);
  else if (typeof part === 'object' && part !== null) visit(part as AstNode, around, found);
}

function visitPath({ steps = [], group }: AstNode, around: Surroundings, found: ReadMembers[]): Place {
  let at: Place = around.at;
  let named = false;
  for (const step of steps) {
    const here: Surroundings = { at, names: around.names };
    if (step.type === 'name') {
      at = at && [...at, String(step.value)];
      named = true;
    } else if (step.type === 'variable') at = placeOfVariable(step, here);
    else if (step.type === 'sort') for (const { expression } of step.terms ?? []) visit(expression, here, found);
    else at = visit(step, here, found);
    const inner = { at, names: around.names };
    for (const stage of [...(step.stages ?? []), ...((step['predicate'] as AstNode[] | undefined) ?? [])])
      visitAll(stage['expr'], inner, found);
    if (step.focus !== undefined || step.index !== undefined) at = undefined;
  }
  if (at && named) found.push(at);
  visitAll((group as AstNode | undefined)?.lhs, { at, names: around.names }, found);
  return at;
}

/** Visits a block. Names that it binds are known to its later expressions. */
function visitBlock({ expressions = [] }: AstNode, around: Surroundings, found: ReadMembers[]): Place {
  let names = around.names;
  let last: Place;
  for (const each of expressions) {
    const isBinding = each.type === 'bind';
    last = visit(isBinding ? each.rhs : each, { at: around.at, names }, found);
    if (isBinding) names = { ...names, [String(each.lhs?.value)]: last };
  }
  return last;
}

/** In `$map(list, function($each) {...})` and the like, the first parameter is an item of the list. */
function visitCall(node: AstNode, around: Surroundings, found: ReadMembers[]): Place {
  const [first, ...others] = node.arguments ?? [];
  const list = visit(first, around, found);
  for (const other of others) {
    const isPerItem = ['map', 'filter', 'single', 'each', 'sift'].includes(String(node.procedure?.value));
    const parameter = other.arguments?.[0]?.value;
    if (other.type === 'lambda' && isPerItem)
      visit(other.body, { at: undefined, names: { ...around.names, [String(parameter)]: list } }, found);
    else visit(other, around, found);
  }
  return undefined;
}

/** `$` is the value that the path begins at, `$$` the scope. The scope's members are variables too: `$nodes`. */
function placeOfVariable({ value }: AstNode, { at, names }: Surroundings): Place {
  const name = String(value);
  if (name === '') return at;
  if (name === '$') return scope;
  if (Object.hasOwn(names, name)) return names[name];
  return ['nodes', 'trigger', 'item'].includes(name) ? [name] : undefined;
}
