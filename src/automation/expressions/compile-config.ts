import { expressionLimits } from './budget.ts';
import { Later } from './evaluation.ts';
import type { Evaluation } from './evaluation.ts';
import { ExpressionError, tooMuch } from './expression-error.ts';
import { compileExpression } from './expression.ts';
import { setOwn, toText } from './json-value.ts';
import { splitSegments } from './segments.ts';

/** Returns a value or a `Later`; undefined when the part has no expression. */
export type Evaluate = ((evaluation: Evaluation) => unknown) | undefined;

/** The state of compiling a config. */
export interface Compilation {
  secrets: Set<string>;
  expressions: number;
  errors: ExpressionError[];
}

const locate = (error: unknown, path: string, offset: number): unknown =>
  error instanceof ExpressionError ? error.at(path, offset) : error;

/** Wraps `evaluate` so that a failure, now or later, names the path. */
function located(evaluate: NonNullable<Evaluate>, path: string, offset: number): NonNullable<Evaluate> {
  return (evaluation) => {
    try {
      const value = evaluate(evaluation);
      if (!(value instanceof Later)) return value;
      return new Later(async () => {
        try {
          return await value.start();
        } catch (error) {
          throw locate(error, path, offset);
        }
      });
    } catch (error) {
      throw locate(error, path, offset);
    }
  };
}

function compileSource(source: string, path: string, offset: number, made: Compilation): NonNullable<Evaluate> {
  made.expressions += 1;
  if (made.expressions > expressionLimits.expressions) {
    throw tooMuch(`A config holds at most ${expressionLimits.expressions} expressions.`);
  }
  const expression = compileExpression(source);
  for (const key of expression.secrets) made.secrets.add(key);
  return located((evaluation) => expression.evaluate(evaluation), path, offset);
}

/** Joins alternating texts and expressions. */
function interpolate(parts: readonly (string | NonNullable<Evaluate>)[]): NonNullable<Evaluate> {
  return (evaluation) => {
    const values = parts.map((part) => (typeof part === 'string' ? part : part(evaluation)));
    const join = (all: readonly unknown[]): string => {
      const text = all.map((value) => toText(value, evaluation.budget)).join('');
      evaluation.budget.chargeString(text.length);
      return text;
    };
    if (!values.some((value) => value instanceof Later)) return join(values);
    return new Later(async () => {
      const settled: unknown[] = [];
      for (const value of values) settled.push(value instanceof Later ? await value.start() : value);
      return join(settled);
    });
  };
}

function compileString(text: string, path: string, made: Compilation): Evaluate {
  if (!text.includes('{{')) return undefined;
  if (text.length > expressionLimits.template) {
    throw tooMuch(`A text with expressions has at most ${expressionLimits.template} characters.`);
  }
  const segments = splitSegments(text);
  const parts = segments.map((segment) => {
    if ('text' in segment) return segment.text;
    try {
      return compileSource(segment.source, path, segment.position, made);
    } catch (error) {
      throw locate(error, path, segment.position);
    }
  });
  const [only] = parts;
  if (parts.length > 1 || only === undefined) return located(interpolate(parts), path, 0);
  return typeof only === 'string' ? () => only : only;
}

/** Assigns a member; a value that is not available yet is assigned later, at the position reserved for it. */
function place(
  target: Record<string, unknown> | unknown[],
  key: string | number,
  value: unknown,
  run: Evaluation,
): void {
  const put = (settled: unknown): void => {
    if (Array.isArray(target)) target[Number(key)] = settled ?? null;
    else if (settled === undefined) delete target[key];
    else setOwn(target, String(key), settled);
  };
  if (!(value instanceof Later)) {
    put(value);
    return;
  }
  // Reserves the member's place in the order.
  put(null);
  run.later.push(async () => put(await value.start()));
}

function compileMembers(
  value: readonly unknown[] | Record<string, unknown>,
  path: string,
  made: Compilation,
  depth: number,
  skip: readonly string[],
): Evaluate {
  if (depth >= expressionLimits.depth) throw tooMuch(`A config nests at most ${expressionLimits.depth} levels.`);
  const members = Object.entries(value).map(([key, member]) => ({
    key,
    member,
    evaluate: skip.includes(key)
      ? undefined
      : compilePart(member, path === '' ? key : `${path}.${key}`, made, depth + 1),
  }));
  if (members.every(({ evaluate }) => evaluate === undefined)) return undefined;
  return (evaluation) => {
    const target: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {};
    for (const { key, member, evaluate } of members) {
      place(target, key, evaluate ? evaluate(evaluation) : member, evaluation);
    }
    return target;
  };
}

/** Compiles any JSON. Collects faults in `made.errors`; leaves the members named in `skip` as they are. */
export function compilePart(
  value: unknown,
  path: string,
  made: Compilation,
  depth = 0,
  skip: readonly string[] = [],
): Evaluate {
  try {
    if (typeof value === 'string') return compileString(value, path, made);
    if (typeof value !== 'object' || value === null) return undefined;
    return compileMembers(value as Record<string, unknown>, path, made, depth, skip);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    made.errors.push(error.at(path, 0));
    return undefined;
  }
}
