import { evaluateSecretly } from './derived-values.ts';
import { Later } from './evaluation.ts';
import type { Evaluation } from './evaluation.ts';
import { ExpressionError } from './expression-error.ts';
import { compileJsonata } from './jsonata-expression.ts';
import type { JsonataExpression } from './jsonata-expression.ts';
import { needsMapping, parsePlainPath, quoteNodeIds, readPath } from './plain-path.ts';

/** One `{{ expression }}`, without its braces. */
export interface Expression {
  /** Keys of the secrets that it may read. */
  readonly secrets: readonly string[];
  evaluate(evaluation: Evaluation): unknown;
}

/** Compiling costs a hundred times an evaluation, and the same expressions recur with every bundle. */
const compiled = new Map<string, JsonataExpression>();

/** Characters of all cached sources; a syntax tree takes some hundred bytes per character. */
const cachedLimit = 256 * 1024;
let cached = 0;

function cachedJsonata(source: string): JsonataExpression {
  const known = compiled.get(source);
  if (known) return known;
  const made = compileJsonata(quoteNodeIds(source));
  compiled.set(source, made);
  cached += source.length;
  for (const oldest of compiled.keys()) {
    if (cached <= cachedLimit) break;
    compiled.delete(oldest);
    cached -= oldest.length;
  }
  return made;
}

const run = (expression: JsonataExpression, source: string, evaluation: Evaluation): Later =>
  new Later(async () => {
    const data = await evaluation.dataFor(expression.secrets);
    const { budget, scope } = evaluation;
    const { known } = scope;
    return known ? evaluateSecretly(expression, source, data, { budget, known }) : expression.evaluate(data, budget);
  });

const secretKey = /^[A-Z][A-Z0-9_]{0,127}$/;

/** Throws an ExpressionError when the source is not an expression. `evaluate` returns a value or a `Later`. */
export function compileExpression(source: string): Expression {
  if (source.trim() === '') {
    throw new ExpressionError('syntax', 'The expression is empty; write a path such as trigger.payload.');
  }
  const steps = parsePlainPath(source);
  if (steps?.[0] === 'secrets') {
    const [, key] = steps;
    if (steps.length !== 2 || typeof key !== 'string' || !secretKey.test(key)) {
      throw new ExpressionError('syntax', 'Secrets are read one at a time, as secrets.KEY in capitals.');
    }
    return { secrets: [key], evaluate: (evaluation) => evaluation.secret(key) };
  }
  if (steps) {
    return {
      secrets: [],
      evaluate(evaluation) {
        const value = readPath(evaluation.scope, steps);
        return value === needsMapping ? run(cachedJsonata(source), source, evaluation) : evaluation.refer(value);
      },
    };
  }
  const expression = cachedJsonata(source);
  const unknown = expression.secrets.find((key) => !secretKey.test(key));
  if (unknown !== undefined) {
    throw new ExpressionError(
      'syntax',
      `secrets.${unknown.slice(0, 100)} is not valid: a secret's key is in capitals.`,
    );
  }
  return { secrets: expression.secrets, evaluate: (evaluation) => run(expression, source, evaluation) };
}
