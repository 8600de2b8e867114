import jsonata from 'jsonata';
import { parsePlainPath } from './plain-path.ts';
import type { AstNode } from './rewrite.ts';

/** A member of a path, with its place in the text. */
export interface PathStep {
  name: string;
  from: number;
  to: number;
}

/** A path that an expression reads, as far as it consists of names. */
export interface ReadPath {
  /** Where it begins: with its first name, or the `$` before that. */
  start: number;
  /** The members that it begins with, up to the first filter or function. */
  steps: readonly PathStep[];
  /** It begins in the scope, and not at an item of a list that the expression goes through. */
  isFromScope: boolean;
  /** Its last member, where that is a name. */
  last: PathStep | undefined;
  /** It is compared with 0 or 1. */
  isCounted: boolean;
}

/** Every path of an expression. `text` is what their places are in: the source, with ids of nodes in backquotes where they need them. */
export interface ReadPaths {
  text: string;
  paths: readonly ReadPath[];
}

const nothing: ReadPaths = { text: '', paths: [] };

/** The paths of an expression; none for a source that does not parse. */
export function readPaths(source: string, nodeIds: ReadonlySet<string>): ReadPaths {
  const text = quoteIds(source, nodeIds);
  if (parsePlainPath(text)) {
    const start = text.length - text.trimStart().length;
    const steps = leadingSteps(text, start);
    const last = steps.at(-1)?.to === text.trimEnd().length ? steps.at(-1) : undefined;
    return { text, paths: [{ start, steps, isFromScope: true, last, isCounted: false }] };
  }
  try {
    return { text, paths: findPaths(jsonata(text).ast() as unknown as AstNode, text) };
  } catch {
    return nothing;
  }
}

const literalOrNode = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|\b(nodes|steps?)\.([A-Za-z0-9_-]{1,64})/g;

/** Quotes what would be read as a subtraction: ids of nodes, known or misspelt, also where `.outputs` is missing behind them. */
const quoteIds = (source: string, nodeIds: ReadonlySet<string>): string =>
  source.replaceAll(literalOrNode, (whole, list: string | undefined, id: string) => {
    const isId = list === 'nodes' || (list !== undefined && nodeIds.has(id));
    return isId && !/^[A-Za-z_]\w*$/.test(id) ? `${list}.\`${id}\`` : whole;
  });

/** The text without the backquotes that ids of nodes do not need. */
export const unquoteNodeIds = (text: string): string =>
  text.replaceAll(/\bnodes\.`([A-Za-z0-9_-]{1,64})`(?=\.outputs\b)/g, 'nodes.$1');

const root = /^(?:\$\$?\.)?\$?(?:`([^`]*)`|([A-Za-z_]\w*))/;
const member = /^\.(?:`([^`]*)`|([A-Za-z_]\w*))/;

function leadingSteps(text: string, start: number): PathStep[] {
  const steps: PathStep[] = [];
  let at = start;
  for (;;) {
    const found = (steps.length === 0 ? root : member).exec(text.slice(at, at + 300));
    if (!found) return steps;
    const [whole, quoted, name] = found;
    // The prefix of the first name, and the dot before others, are no part of it.
    const from = at + whole.length - (quoted === undefined ? (name ?? '').length : quoted.length + 2);
    at += whole.length;
    steps.push({ name: quoted ?? name ?? '', from, to: at });
  }
}

/** Members of a node of the tree whose expressions read from an item. */
const relative: ReadonlySet<string> = new Set(['stages', 'predicate', 'group', 'terms']);
const comparisons: ReadonlySet<unknown> = new Set(['>', '<', '>=', '<=', '=', '!=']);

function findPaths(tree: AstNode, text: string): ReadPath[] {
  const found: ReadPath[] = [];
  const bound = boundNames(tree);
  const seen = new Set<object>();
  const visit = (node: unknown, isFromScope: boolean, isCounted: boolean): void => {
    if (typeof node !== 'object' || node === null || node instanceof RegExp || seen.has(node)) return;
    seen.add(node);
    if (Array.isArray(node)) return node.forEach((each) => visit(each, isFromScope, isCounted));
    const { type, value, lhs, rhs, steps, ...members } = node as AstNode;
    if (type === 'path' && steps) {
      const path = pathFrom(steps, text, bound, isFromScope);
      if (path) found.push({ ...path, isCounted });
      for (const [index, step] of steps.entries()) visit(step, isFromScope && index === 0, false);
    }
    const isCount = type === 'binary' && comparisons.has(value) && [lhs, rhs].some(isZeroOrOne);
    visit(lhs, isFromScope, isCount);
    visit(rhs, isFromScope, isCount);
    for (const [name, inner] of Object.entries(members))
      visit(inner, isFromScope && !relative.has(name), isCounted && type === 'block');
  };
  visit(tree, true, false);
  return found;
}

const isZeroOrOne = (node: AstNode | undefined): boolean =>
  node?.type === 'number' && (node.value === 0 || node.value === 1);

/** Names that the expression gives to values of its own, by `:=`, `@`, `#` or as parameters. */
function boundNames(tree: AstNode): Set<unknown> {
  const names = new Set<unknown>();
  const seen = new Set<object>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return;
    seen.add(node);
    const each = node as AstNode;
    if (each.type === 'bind') names.add(each.lhs?.value);
    if (each.type === 'lambda') for (const parameter of each.arguments ?? []) names.add(parameter.value);
    names.add(each.focus).add(each.index);
    for (const inner of Object.values(each)) visit(inner);
  };
  visit(tree);
  return names;
}

function pathFrom(
  all: readonly AstNode[],
  text: string,
  bound: ReadonlySet<unknown>,
  isFromScope: boolean,
): Omit<ReadPath, 'isCounted'> | undefined {
  const [first] = all;
  if (!first || (first.type !== 'name' && first.type !== 'variable')) return undefined;
  const { value: name, position = 0 } = first;
  const isVariable = first.type === 'variable';
  const isQuoted = text[position - 1] === '`';
  const start = position - String(name).length - (isVariable ? 1 : 0) - (isQuoted ? 2 : 0);
  const steps = leadingSteps(text, start);
  const isRead = isVariable ? name === '$' || (name === '' ? isFromScope : !bound.has(name)) : isFromScope;
  const final = all.at(-1);
  const [end, length] = [final?.position ?? 0, String(final?.value).length];
  const isName = final?.type === 'name' && text.slice(end - length, end) === final.value;
  const last = isName ? { name: text.slice(end - length, end), from: end - length, to: end } : undefined;
  const isFound = steps[0] !== undefined && (steps[0].name === name || name === '' || name === '$');
  return isFound ? { start, steps, isFromScope: isRead, last } : undefined;
}
