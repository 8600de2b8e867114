import jsonata from 'jsonata';
import { LRUCache } from 'lru-cache';
import type { Budget } from './budget.ts';
import { ExpressionError } from './expression-error.ts';
import { guardedFunctions } from './functions.ts';
import { compileJsonata } from './jsonata-expression.ts';
import { parsePlainPath, quoteNodeIds } from './plain-path.ts';
import type { AstNode } from './rewrite.ts';

/** The result of an expression that is the same in every run: a value, or the reason why it fails. Undefined when it depends on the run. */
export type Constant = { value: unknown } | { fault: string } | undefined;

const functions = new Set([...guardedFunctions.keys(), 'now', 'millis']);
/** Functions that yield another value each time, or that fail on purpose. */
const changing = new Set(['now', 'millis', 'random', 'shuffle', 'error', 'assert']);
const ofTheRun = new Set(['trigger', 'nodes', 'run', 'secrets', 'item', 'index', 'event']);
const readsInput = new Set(['name', 'wildcard', 'descendant', 'parent']);

interface Survey {
  /** Variables that the expression itself binds. */
  bound: Set<string>;
  variables: Set<string>;
  called: Set<string>;
  readsInput: boolean;
}

function survey(root: AstNode): Survey {
  const found: Survey = { bound: new Set(), variables: new Set(), called: new Set(), readsInput: false };
  const seen = new Set<object>();
  const stack: object[] = [root];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (seen.has(next) || next instanceof RegExp) continue;
    seen.add(next);
    const node = next as AstNode;
    if (readsInput.has(node.type ?? '') || node.focus || node.index) found.readsInput = true;
    for (const name of [node.focus, node.index]) if (typeof name === 'string') found.bound.add(name);
    if (node.type === 'bind') found.bound.add(String(node.lhs?.value));
    if (node.type === 'lambda') for (const { value } of node.arguments ?? []) found.bound.add(String(value));
    if (node.type === 'variable') found.variables.add(String(node.value));
    if (node.procedure?.type === 'variable') found.called.add(String(node.procedure.value));
    for (const member of Object.values(node)) if (typeof member === 'object' && member !== null) stack.push(member);
  }
  return found;
}

/** An expression that depends on the run, one that is the same in every run, or one that calls a function that does not exist. */
type Kind = 'of-run' | 'constant' | { fault: string };

// An editor saves the same expressions again and again; parsing them takes half the time of a check.
const kinds = new LRUCache<string, Kind>({
  maxSize: 4 * 1024 * 1024,
  sizeCalculation: (_, source) => source.length + 64,
});

function classify(source: string): Kind {
  if (parsePlainPath(source)) return 'of-run';
  const known = kinds.get(source);
  if (known !== undefined) return known;
  const kind = classifyParsed(survey(jsonata(quoteNodeIds(source)).ast() as unknown as AstNode));
  kinds.set(source, kind);
  return kind;
}

function classifyParsed({ bound, called, variables, readsInput: readsScope }: Survey): Kind {
  const unknown = [...called].find(
    (name) => !bound.has(name) && !functions.has(name) && !ofTheRun.has(name) && name !== '',
  );
  if (unknown !== undefined) return { fault: `There is no function $${unknown.slice(0, 64)}; correct its name.` };
  const isConstant = [...variables].every((name) => bound.has(name) || (functions.has(name) && !changing.has(name)));
  return readsScope || !isConstant ? 'of-run' : 'constant';
}

/** Evaluates a valid expression that reads nothing of a run. Expressions that share a budget must be evaluated one after another. */
export async function evaluateConstant(source: string, budget: Budget): Promise<Constant> {
  const kind = classify(source);
  if (kind === 'of-run') return undefined;
  if (kind !== 'constant') return kind;
  try {
    return { value: await compileJsonata(quoteNodeIds(source)).evaluate({}, budget) };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return error.kind === 'failed' ? { fault: error.reason } : undefined;
  }
}
