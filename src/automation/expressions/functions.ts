import { isUtf8 } from 'node:buffer';
import jsonata from 'jsonata';
import type { Budget } from './budget.ts';
import { expressionLimits } from './budget.ts';
import { exactDecimals } from './exact-decimals.ts';
import { ExpressionError, tooMuch } from './expression-error.ts';
import { chargeValue, checkSize } from './json-value.ts';
import { checkPicture, checkReading } from './pictures.ts';

/** A name that no expression can contain, so that none can rebind it. */
export const budgetKey = 'the budget';

interface Environment {
  lookup(name: string): unknown;
}

interface Focus {
  environment: Environment;
}

type Implementation = (this: Focus, ...args: unknown[]) => unknown;

/** jsonata's representation of a built-in function. */
export interface FunctionDefinition {
  _jsonata_function: true;
  implementation: Implementation;
  signature?: unknown;
}

const names =
  'sum count max min average string substring substringBefore substringAfter lowercase uppercase length trim pad match ' +
  'contains replace split join formatNumber formatBase formatInteger parseInteger number floor ceil round abs sqrt power ' +
  'random boolean not map zip filter single reduce sift keys lookup append exists spread merge reverse each error assert ' +
  'type sort shuffle distinct base64encode base64decode encodeUrlComponent encodeUrl decodeUrlComponent decodeUrl ' +
  'toMillis fromMillis clone';

/** jsonata does not export its functions, so they are read from the environment of an expression. */
async function readBuiltins(): Promise<Map<string, FunctionDefinition>> {
  const found = new Map<string, FunctionDefinition>();
  const probe = jsonata('$probe()');
  probe.registerFunction('probe', function (this: Focus) {
    for (const name of names.split(' ')) found.set(name, this.environment.lookup(name) as FunctionDefinition);
  });
  await probe.evaluate({});
  return found;
}

const measureLength = (value: unknown): number =>
  typeof value === 'string' || Array.isArray(value) ? value.length : 0;

/** Charges a function's result; members of an array have already been charged where they were created. */
function charged(result: unknown, budget: Budget): unknown {
  if (typeof result === 'string') budget.chargeString(result.length);
  else if (Array.isArray(result)) budget.chargeArray(result.length);
  else if (typeof result === 'object' && result !== null) budget.charge(8 * Object.keys(result).length);
  return result;
}

/** Checks that must run before a function is called, because afterwards it is too late. */
const checks: Record<string, (args: unknown[], budget: Budget) => void> = {
  pad: ([, width], budget) => budget.chargeString(Math.abs(Number(width)) || 0),
  join: ([parts, separator], budget) => {
    if (!Array.isArray(parts)) return;
    const joined = parts.reduce<number>((sum, part) => sum + measureLength(part) + measureLength(separator), 0);
    budget.chargeString(joined);
  },
  string: ([value], budget) => chargeValue(value, budget),
  clone: ([value], budget) => chargeValue(value, budget),
  // Each member is appended to a copy of the previous ones.
  spread: ([value], budget) => budget.charge(4 * measureLength(value) ** 2),
  zip: (args, budget) => budget.charge(8 * args.length * Math.min(...args.map(measureLength))),
  toMillis: ([text, picture]) => checkReading(text, picture),
  fromMillis: ([, picture]) => checkPicture(picture),
  parseInteger: ([text, picture]) => checkReading(text, picture),
  formatInteger: ([, picture]) => checkPicture(picture),
  formatNumber: ([, picture]) => checkPicture(picture),
};

/** These return arrays of their arguments, and so could nest a value in itself many times over. */
const nesting = new Set(['map', 'each', 'zip']);

/** JSON equality: arrays by their members, objects by their keys in any order. */
export function isEqual(left: unknown, right: unknown, budget: Budget, depth = 0): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (depth > expressionLimits.depth) throw tooMuch(`The value nests more than ${expressionLimits.depth} levels.`);
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = Object.keys(left);
  budget.charge(8 * keys.length);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(right, key) &&
      isEqual((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key], budget, depth + 1),
  );
}

/** Text that is the same only for equal values. */
function fingerprint(value: unknown, budget: Budget, depth = 0): string {
  if (depth > expressionLimits.depth) throw tooMuch(`The value nests more than ${expressionLimits.depth} levels.`);
  if (typeof value !== 'object' || value === null) {
    budget.charge(8 + measureLength(value));
    return typeof value === 'function' ? 'function' : (JSON.stringify(value) ?? 'undefined');
  }
  budget.charge(8);
  if (Array.isArray(value)) return `[${value.map((item) => fingerprint(item, budget, depth + 1)).join(',')}]`;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${fingerprint(member, budget, depth + 1)}`).join(',')}}`;
}

/** jsonata's own `distinct` compares every pair. */
function distinct(values: unknown, budget: Budget): unknown {
  if (!Array.isArray(values) || values.length <= 1) return values;
  const first = new Map<string, unknown>();
  for (const value of values as unknown[]) {
    const key = fingerprint(value, budget);
    if (!first.has(key)) first.set(key, value);
  }
  return [...first.values()];
}

const pairs = /[\uD800-\uDBFF][\uDC00-\uDFFF]/g;

/** Unicode characters; jsonata's own `length` makes an array of them. */
const countCharacters = (text: unknown): unknown =>
  typeof text === 'string' ? text.length - (text.match(pairs)?.length ?? 0) : undefined;

/** jsonata's own take one byte for each character. */
function encodeBase64(text: unknown): unknown {
  return typeof text === 'string' ? Buffer.from(text, 'utf8').toString('base64') : undefined;
}

function decodeBase64(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  const bytes = Buffer.from(text, 'base64');
  if (!isUtf8(bytes)) throw new ExpressionError('failed', '$base64decode takes base64 of text in UTF-8.');
  return bytes.toString('utf8');
}

type Compare = (a: unknown, b: unknown) => boolean | Promise<boolean>;

/** A stable merge sort; jsonata's own copies the rest for each member. `compare` says whether to swap. */
async function mergeSort(values: unknown[], compare: Compare): Promise<unknown[]> {
  let runs = values.map((value) => [value]);
  while (runs.length > 1) {
    const merged: unknown[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const left = runs[at] ?? [];
      const right = runs[at + 1] ?? [];
      const both: unknown[] = [];
      let l = 0;
      let r = 0;
      while (l < left.length && r < right.length) {
        both.push((await compare(left[l], right[r])) ? right[r++] : left[l++]);
      }
      merged.push([...both, ...left.slice(l), ...right.slice(r)]);
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function sort(values: unknown, comparator: unknown, budget: Budget): Promise<unknown> {
  if (!Array.isArray(values) || values.length <= 1) return values;
  budget.charge(16 * values.length);
  if (typeof comparator === 'function') return mergeSort(values, comparator as Compare);
  const [type] = new Set(values.map((value) => typeof value));
  if ((type !== 'string' && type !== 'number') || values.some((value) => typeof value !== type)) {
    throw new ExpressionError('failed', '$sort without a function takes strings only or numbers only.');
  }
  return values.toSorted((a: string, b: string) => (a > b ? 1 : a < b ? -1 : 0));
}

export const findBudget = (focus: Focus): Budget => focus.environment.lookup(budgetKey) as Budget;

function guard(name: string, builtin: FunctionDefinition): FunctionDefinition {
  const check = checks[name];
  const own: Implementation = builtin.implementation;
  const implementation: Implementation = function (...args) {
    const budget = findBudget(this);
    check?.(args, budget);
    if (name === 'distinct') return charged(distinct(args[0], budget), budget);
    if (name === 'length') return countCharacters(args[0]);
    if (name === 'base64encode') return charged(encodeBase64(args[0]), budget);
    if (name === 'base64decode') return charged(decodeBase64(args[0]), budget);
    const result = name === 'sort' ? sort(args[0], args[1], budget) : own.apply(this, args);
    const accept = (value: unknown): unknown => {
      if (nesting.has(name)) checkSize(value);
      return charged(value, budget);
    };
    return result instanceof Promise ? result.then(accept) : accept(result);
  };
  // jsonata reads a function's arity from its length and, for partial application, its arguments from its text.
  Object.defineProperty(implementation, 'length', { value: own.length });
  implementation.toString = () => own.toString();
  return { _jsonata_function: true, implementation, signature: builtin.signature };
}

const builtins = await readBuiltins();

/** Functions of our own. */
const added = Object.entries(exactDecimals).map(([name, { arity, compute }]): [string, FunctionDefinition] => {
  const implementation: Implementation = function (...args) {
    const budget = findBudget(this);
    budget.charge(8 * measureLength(args[0]));
    return charged(compute(args, name), budget);
  };
  Object.defineProperty(implementation, 'length', { value: arity });
  // See `guard`.
  implementation.toString = () => `function (${['a', 'b', 'digits'].slice(0, arity).join(', ')})`;
  return [name, { _jsonata_function: true, implementation }];
});

/** jsonata's functions without `$eval`, and our own, each charging the values that it creates. */
export const guardedFunctions: ReadonlyMap<string, FunctionDefinition> = new Map([
  ...[...builtins].map(([name, definition]): [string, FunctionDefinition] => [name, guard(name, definition)]),
  ...added,
]);

const asString: Implementation = (() => {
  const definition = guardedFunctions.get('string');
  if (definition === undefined) throw new Error('jsonata no longer has $string.');
  return definition.implementation;
})();

/** One part of a concatenation: empty for undefined, strings as they are, JSON for the rest. */
export function asText(focus: Focus, value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : String(asString.call(focus, value));
}
