import jsonata from 'jsonata';
import type { Budget } from './budget.ts';
import { expressionLimits } from './budget.ts';
import { ExpressionError, tooMuch } from './expression-error.ts';
import { budgetKey, guardedFunctions } from './functions.ts';
import { checkSize, toJsonValue } from './json-value.ts';
import { boundedOperators } from './operators.ts';
import { LinearRegExp } from './regex-engine.ts';
import { boundExpression } from './rewrite.ts';
import type { AstNode } from './rewrite.ts';

/** A jsonata expression made safe to evaluate. */
export interface JsonataExpression {
  /** Keys of the secrets that it names; it sees no others. */
  readonly secrets: readonly string[];
  /** Evaluates to plain JSON or undefined. Rejects with an ExpressionError. */
  evaluate(scope: Record<string, unknown>, budget: Budget): Promise<unknown>;
}

interface Environment {
  base: { budget?: Budget };
  lookup(name: string): unknown;
}

/** jsonata's codes for its own limits. */
const limitCodes = new Set(['D1011', 'D1012', 'D2014', 'D2015', 'U1001']);

/** jsonata's codes for an operator that was given a text instead of a number. Amounts of the platform and of most shops are texts. */
const textCodes = new Set(['T2001', 'T2002', 'T2009', 'T2010']);

/** jsonata throws objects that are not errors. Running out of stack or string length also counts as a limit. */
function asExpressionError(thrown: unknown, kind: 'syntax' | 'failed'): ExpressionError {
  if (thrown instanceof ExpressionError) return thrown;
  if (thrown instanceof RangeError) return tooMuch(`The expression asks for too much: ${thrown.message}.`);
  const { code, message, position } = (thrown ?? {}) as { code?: string; message?: string; position?: number };
  if (code === 'D1011') return tooMuch('The expression recurses too deeply; give the recursion an end.');
  const found = limitCodes.has(code ?? '') ? 'limit' : kind;
  const hint = textCodes.has(code ?? '') ? '. Make a number of a text by $number(…).' : '';
  return new ExpressionError(found, `${message ?? 'The expression failed.'}${hint}`, {
    path: '',
    position: typeof position === 'number' ? position : 0,
  });
}

const budgetIn = (environment: Environment): Budget =>
  (environment.base.budget ??= environment.lookup(budgetKey) as Budget);

/** jsonata awaits this before each evaluation, which allows a pause there. */
const onEntry = (_: AstNode, _input: unknown, environment: Environment): Promise<void> | undefined =>
  budgetIn(environment).step();

/** Functions charge their own results; this charges results of the syntax: arrays, objects, mapped paths. */
function onExit(node: AstNode, _: unknown, environment: Environment, result: unknown): Promise<void> | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  const budget = budgetIn(environment);
  const constructs = node.type === 'unary';
  const isMade = constructs || node.type === 'binary' || 'sequence' in result;
  if (isMade && Array.isArray(result)) budget.chargeArray(result.length);
  if (!constructs) return undefined;
  checkSize(result);
  return budget.checkTime();
}

const scopeNames = ['trigger', 'nodes', 'run', 'secrets', 'item', 'index', 'event'] as const;

/**
 * Parses and checks an expression. Inside a path the names of the scope are reached through `$`, as in
 * `trigger.payload.items.{"sku": sku, "order": $trigger.payload.id}`.
 * Throws an ExpressionError with the position of the fault.
 */
export function compileJsonata(source: string): JsonataExpression {
  if (source.length > expressionLimits.source) {
    throw tooMuch(`An expression has at most ${expressionLimits.source} characters.`);
  }
  let secrets: string[];
  let parsed: jsonata.Expression;
  try {
    parsed = jsonata(source, {
      RegexEngine: LinearRegExp as unknown as RegExpConstructor,
      stack: expressionLimits.nesting,
      sequence: expressionLimits.array,
    });
    secrets = boundExpression(parsed.ast() as unknown as AstNode, source);
  } catch (thrown) {
    throw asExpressionError(thrown, 'syntax');
  }
  const define = (name: string | symbol, value: unknown): void => parsed.assign(name as string, value);
  for (const [name, definition] of guardedFunctions) define(name, definition);
  for (const [name, implementation] of Object.entries(boundedOperators)) {
    define(name, { _jsonata_function: true, implementation });
  }
  define('eval', undefined);
  const fromMillis = guardedFunctions.get('fromMillis');
  parsed.registerFunction(
    'now',
    function (picture: unknown, zone: unknown) {
      return fromMillis?.implementation.call(this, Date.now(), picture, zone);
    },
    '<s?s?:s>',
  );
  define(Symbol.for('jsonata.__evaluate_entry'), onEntry);
  define(Symbol.for('jsonata.__evaluate_exit'), onExit);
  return {
    secrets,
    async evaluate(scope, budget) {
      const bindings: Record<string, unknown> = { [budgetKey]: budget };
      for (const name of scopeNames) bindings[name] = scope[name];
      budget.resume();
      try {
        return toJsonValue(await parsed.evaluate(scope, bindings), budget);
      } catch (thrown) {
        throw asExpressionError(thrown, 'failed');
      }
    },
  };
}
