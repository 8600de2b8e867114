import { ExpressionError } from './expression-error.ts';
import { checkPattern } from './regex-engine.ts';

/** A node of jsonata's syntax tree, with only the members that are used here. */
export interface AstNode {
  type?: string;
  value?: unknown;
  position?: number;
  lhs?: AstNode;
  rhs?: AstNode;
  procedure?: AstNode;
  arguments?: AstNode[];
  steps?: AstNode[];
  stages?: AstNode[];
  terms?: { descending: boolean; expression: AstNode }[];
  expressions?: AstNode[];
  body?: AstNode;
  focus?: unknown;
  index?: unknown;
  tuple?: unknown;
  ancestor?: unknown;
  [member: string]: unknown;
}

const refuse = (message: string, node: AstNode): never => {
  throw new ExpressionError('syntax', message, { path: '', position: node.position ?? 0 });
};

const call = (name: string, args: AstNode[], position: number | undefined): AstNode => ({
  type: 'function',
  value: '(',
  position,
  procedure: { type: 'variable', value: name, position },
  arguments: args,
});

/** `a^(b, >c)` as a call of the bounded operator with `a`, the directions, and a function per term. */
function orderCall(values: AstNode, sort: AstNode): AstNode {
  const { position, terms = [] } = sort;
  const directions = terms.map(({ descending }) => (descending ? '>' : '<')).join('');
  const functions = terms.map(({ expression }) => ({
    type: 'lambda',
    position,
    arguments: [{ type: 'variable', value: 'the item', position }],
    body: {
      type: 'path',
      position,
      steps: [
        { type: 'variable', value: 'the item', position },
        { type: 'block', position, expressions: [expression] },
      ],
    },
  }));
  const made = call('operator ^', [values, { type: 'string', value: directions, position }, ...functions], position);
  return sort.stages ? { ...made, stages: sort.stages } : made;
}

function replaceSorts(path: AstNode): void {
  const steps = path.steps ?? [];
  const at = steps.findLastIndex((step) => step.type === 'sort');
  const sort = steps[at];
  if (sort === undefined) return;
  if (path.tuple || steps.some((step) => step.focus || step.index || step.tuple || step.ancestor)) {
    refuse('Order-by cannot be combined with @, # or %; order first, in parentheses.', sort);
  }
  const before: AstNode = { type: 'path', position: path.position, steps: steps.slice(0, at) };
  path.steps = [orderCall(before, sort), ...steps.slice(at + 1)];
}

/** A whole number that a double cannot carry is text, as it is in the data that it is compared with. */
function keepDigits(node: AstNode, source: string): void {
  const { value, position = 0 } = node;
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return;
  const digits = /\d{16,}$/.exec(source.slice(Math.max(0, position - 400), position))?.[0];
  if (digits !== undefined && Math.abs(value) === Number(digits)) node.value = value < 0 ? `-${digits}` : digits;
}

/** Replaces an unbounded operator in one node, or refuses the node. */
function bound(node: AstNode, source: string): void {
  switch (node.type) {
    case 'transform':
      refuse('The transform operator |...|...| is not available, since it changes its input; use $merge.', node);
      break;
    case 'variable':
      if (node.value === 'eval') refuse('$eval is not available; write the expression itself.', node);
      break;
    case 'number':
      keepDigits(node, source);
      break;
    case 'regex':
      if (node.value instanceof RegExp) checkPattern(node.value);
      break;
    case 'path':
      replaceSorts(node);
      break;
    case 'binary':
      if (node.value === '=' || node.value === '!=' || node.value === '&') {
        const operands = [node.lhs, node.rhs].filter((operand) => operand !== undefined);
        Object.assign(node, call(`operator ${node.value}`, operands, node.position));
        delete node.lhs;
        delete node.rhs;
      }
      break;
    default:
      break;
  }
}

/** The steps of a path that is read from the whole scope: one that begins with a name, `$` or `$$`. */
function scopeSteps(path: AstNode): AstNode[] {
  const steps = path.steps ?? [];
  const [first] = steps;
  return first?.type === 'variable' && (first.value === '' || first.value === '$') ? steps.slice(1) : steps;
}

/** The key of `secrets.KEY` or `$secrets.KEY`; undefined for any other path. */
function readSecretKey(path: AstNode): string | undefined {
  const [root, key] = scopeSteps(path);
  if (root?.value !== 'secrets' || (root.type !== 'name' && root.type !== 'variable')) return undefined;
  return key?.type === 'name' && typeof key.value === 'string' ? key.value : undefined;
}

/**
 * Makes a parsed expression safe to evaluate, in place: unbounded operators of jsonata become calls of bounded ones, and
 * anything that could change the scope or run text as code is refused. Returns the keys of the secrets that it names.
 */
export function boundExpression(root: AstNode, source: string): string[] {
  const secrets = new Set<string>();
  const seen = new Set<object>();
  const stack: object[] = [root];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (seen.has(next) || next instanceof RegExp) continue;
    seen.add(next);
    const node = next as AstNode;
    if (node.type === 'path') {
      const secret = readSecretKey(node);
      if (secret !== undefined) secrets.add(secret);
    }
    bound(node, source);
    for (const member of Object.values(node)) {
      if (typeof member === 'object' && member !== null) stack.push(member);
    }
  }
  return [...secrets];
}
