import { Budget, expressionLimits } from '#src/automation/expressions/budget.ts';
import { ExpressionError, tooMuch } from '#src/automation/expressions/expression-error.ts';
import { checkSize } from '#src/automation/expressions/json-value.ts';
import { nodesToRead } from '#src/automation/expressions/read-nodes.ts';
import type { ExpressionScope } from '#src/automation/expressions/scope.ts';
import { compileTemplate } from '#src/automation/expressions/template.ts';
import { type ValueType, jsonType } from '#src/automation/expressions/value-type.ts';
import { readRunValues } from '#src/automation/runs/run-details.reads.ts';
import { findRuns } from '#src/automation/runs/runs.reads.ts';
import { findSecret } from '#src/automation/secrets/secrets.service.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { redacted } from '#src/infra/logs/redact.ts';
import type { Database } from '#src/infra/postgres/database.ts';

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

/** The paths of steps outside loops, which are the ids of their nodes. */
export function pathsToRead(expressions: readonly string[]): ReadonlyMap<string, string> | undefined {
  const found = expressions.map((expression) => nodesToRead(expression));
  if (found.includes(undefined)) return undefined;
  return new Map(found.flatMap((ids) => [...(ids ?? [])].map((id) => [id, id] as const)));
}

/**
 * The scope of a run after its last step: the outputs of its nodes outside loops, or of the steps at `paths`, by the id of the node.
 * Throws NotFoundError.
 */
export async function readRunScope(
  database: Database,
  tenantId: string,
  runId: bigint,
  paths?: ReadonlyMap<string, string>,
): Promise<Seen & { workflowId: number }> {
  const id = Number(runId);
  const [runs, payloads, nodes] = await Promise.all([
    findRuns(database, tenantId, [id]),
    readRunValues(database, tenantId, 'payload', [id]),
    readOutputs(database, tenantId, id, paths),
  ]);
  const run = runs.get(id);
  if (!run) throw new NotFoundError();
  return {
    workflowId: run.workflowId,
    trigger: { payload: payloads.get(id) ?? null, type: run.triggerType, handle: run.triggerHandle },
    nodes,
    run: { id, started_at: run.startedAt ?? run.createdAt },
  };
}

async function readOutputs(
  database: Database,
  tenantId: string,
  runId: number,
  paths: ReadonlyMap<string, string> | undefined,
): Promise<Seen['nodes']> {
  if (paths?.size === 0) return {};
  const rows = await database.tenantQuery<{ path: string; outputs: string | null }>(tenantId, {
    name: paths ? 'outputs-at-paths' : 'run-outputs',
    // Each value becomes text once, which is what is sent and counted; a second time would double the cost of large outputs.
    text: `WITH last AS MATERIALIZED (
        SELECT path, outputs::text AS outputs FROM (
          SELECT DISTINCT ON (path) path, wake_at, status,
            CASE status WHEN 'failed' THEN jsonb_build_object('error', error) ELSE coalesce(outputs, '{}') END AS outputs
          FROM steps WHERE tenant_id = $1 AND run_id = $2 AND ${paths ? 'path = ANY($4::text[])' : 'path = node_id'}
            AND status <> 'running'
          ORDER BY path, attempt DESC
        ) AS attempts WHERE status = 'succeeded' OR (status = 'failed' AND wake_at IS NULL)
      )
      SELECT path, CASE WHEN (SELECT sum(octet_length(outputs)) FROM last) <= $3 THEN outputs END AS outputs FROM last`,
    values: [tenantId, runId, maxOutputs, ...(paths ? [[...paths.keys()]] : [])],
  });
  if (rows.some(({ outputs }) => outputs === null)) {
    throw new ValidationError({ 'scope.runId': ['The outputs of this run are too large; give a sample instead.'] });
  }
  return Object.fromEntries(
    rows.map(({ path, outputs }) => [paths?.get(path) ?? path, { outputs: JSON.parse(outputs as string) as unknown }]),
  );
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
    return { value: value ?? null, type: jsonType(value), error: null };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    // Braces were added around an expression that has none.
    const added = expression.includes('{{') ? 0 : 2;
    const position = Math.max(error.place.position - added, 0);
    return { value: null, type: null, error: { message: error.reason, position } };
  }
}
