import { Budget, expressionLimits } from '#src/automation/expressions/budget.ts';
import { ExpressionError, tooMuch } from '#src/automation/expressions/expression-error.ts';
import { checkSize } from '#src/automation/expressions/json-value.ts';
import type { ExpressionScope } from '#src/automation/expressions/scope.ts';
import { compileTemplate } from '#src/automation/expressions/template.ts';
import { findSecret } from '#src/automation/secrets/secrets.service.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { redacted } from '#src/infra/logs/redact.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { readRunValues } from './run-details.reads.ts';
import { findRuns } from './runs.reads.ts';

export const valueTypes = ['string', 'number', 'boolean', 'array', 'object', 'null', 'nothing'] as const;

/** The JSON type of a value; `nothing` where an expression finds no value. */
export type ValueType = (typeof valueTypes)[number];

export function valueTypeOf(value: unknown): ValueType {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : (typeof value as 'string' | 'number' | 'boolean' | 'object');
}

/** The result of a previewed expression: a value with its type, or an error. */
export interface ExpressionPreview {
  value: unknown;
  type: ValueType | null;
  error: { message: string; position: number } | null;
}

export type Seen = Omit<ExpressionScope, 'secrets'>;

export const previewLimits = {
  /** Expressions of one list. */
  expressions: 100,
  /** Characters of all of them. */
  source: 256 * 1024,
} as const;

/** The most bytes of a run's outputs that are loaded: four times the largest value that an expression may create. */
const maxOutputs = 32 * 1024 * 1024;

/** The scope of a run after its last step: the outputs of its nodes outside loops. Throws NotFoundError. */
export async function scopeOfRun(database: Database, tenantId: string, runId: bigint): Promise<Seen> {
  const run = (await findRuns(database, tenantId, [runId])).get(Number(runId));
  if (!run) throw new NotFoundError();
  const payload = (await readRunValues(database, tenantId, 'payload', [run.id])).get(run.id);
  return {
    trigger: { payload: payload ?? null, type: run.triggerType, handle: run.triggerHandle },
    nodes: await readOutputs(database, tenantId, run.id),
    run: { id: run.id, started_at: run.startedAt ?? run.createdAt },
  };
}

async function readOutputs(database: Database, tenantId: string, runId: number): Promise<Seen['nodes']> {
  const rows = await database.tenantQuery<{ path: string; outputs: unknown; fits: boolean }>(tenantId, {
    name: 'run-outputs',
    text: `SELECT path, total <= $3 AS fits, CASE WHEN total <= $3 THEN outputs END AS outputs FROM (
        SELECT path, outputs, sum(octet_length(outputs::text)) OVER (ORDER BY path) AS total FROM (
          SELECT DISTINCT ON (path) path, wake_at, status,
            CASE status WHEN 'failed' THEN jsonb_build_object('error', error) ELSE coalesce(outputs, '{}') END AS outputs
          FROM steps WHERE tenant_id = $1 AND run_id = $2 AND path = node_id AND status <> 'running'
          ORDER BY path, attempt DESC
        ) AS last WHERE status = 'succeeded' OR (status = 'failed' AND wake_at IS NULL)
      ) AS sized`,
    values: [tenantId, runId, maxOutputs],
  });
  if (rows.some(({ fits }) => !fits)) {
    throw new ValidationError({ 'scope.runId': ['The outputs of this run are too large; give a sample instead.'] });
  }
  return Object.fromEntries(rows.map(({ path, outputs }) => [path, { outputs }]));
}

/** The previews of one request: evaluated one after another, within the limits of a single expression. */
interface Previews {
  budget: Budget;
  /** The size of all values so far. */
  size: number;
  last: Promise<unknown>;
}

const previews = new WeakMap<object, Previews>();

/**
 * Evaluates expressions for a request, one after another. All that a request asks for share the limits of one expression, those of its
 * value's size included; the rest then has errors that say so.
 */
export function previewWithin(
  request: object,
  ...[deps, actor, expressions, seen]: [Deps, Actor, readonly string[], Seen]
): Promise<ExpressionPreview[]> {
  const shared = previews.get(request) ?? { budget: new Budget(), size: 0, last: Promise.resolve() };
  previews.set(request, shared);
  const secrets = secretNames(deps, actor);
  const results = shared.last.then(async () => {
    const made: ExpressionPreview[] = [];
    for (const expression of expressions) made.push(await previewExpression(expression, { ...seen, secrets }, shared));
    return made;
  });
  shared.last = results.catch(() => undefined);
  return results;
}

/**
 * Secrets are not decrypted, because an expression could reveal them character by character: `[redacted]` stands for each, and it must
 * exist. Each is looked up once.
 */
function secretNames(deps: Deps, actor: Actor): ExpressionScope['secrets'] {
  const found = new Map<string, Promise<string | undefined>>();
  const find = async (key: string) => ((await findSecret(deps, actor, key)) ? redacted : undefined);
  return (key) => {
    const known = found.get(key) ?? find(key);
    found.set(key, known);
    return known;
  };
}

/** Evaluates what a config may hold: text with `{{ expressions }}`, or one expression without braces. */
async function previewExpression(
  expression: string,
  scope: ExpressionScope,
  shared: Previews,
): Promise<ExpressionPreview> {
  try {
    shared.budget.resume();
    const template = compileTemplate({ expression }, { deferred: ['expression'] }).deferred('expression');
    // Compiling counts too: a hundred long expressions would otherwise hold up other requests.
    await shared.budget.checkTime();
    const value: unknown = await template.evaluate(scope, shared.budget);
    const size = shared.size + checkSize(value);
    if (size > expressionLimits.value) throw tooMuch('The values are too large together; evaluate fewer at a time.');
    shared.size = size;
    return { value: value ?? null, type: valueTypeOf(value), error: null };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    // Braces were added around an expression that has none.
    const added = expression.includes('{{') ? 0 : 2;
    const position = Math.max(error.place.position - added, 0);
    return { value: null, type: null, error: { message: error.reason, position } };
  }
}
