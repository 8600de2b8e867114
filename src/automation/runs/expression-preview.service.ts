import { Budget } from '#src/automation/expressions/budget.ts';
import { ExpressionError } from '#src/automation/expressions/expression-error.ts';
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

/** The result of a previewed expression: a value or an error. */
export interface ExpressionPreview {
  value: unknown;
  error: { message: string; position: number } | null;
}

type Seen = Omit<ExpressionScope, 'secrets'>;

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

/** The previews of one request: evaluated one after another, within the budget of a single expression. */
interface Previews {
  budget: Budget;
  last: Promise<unknown>;
}

const previews = new WeakMap<object, Previews>();

/** `previewExpression` for a request, which may ask for several: they share the budget of one. */
export function previewWithin(
  request: object,
  ...[deps, actor, expression, seen]: [Deps, Actor, string, Seen]
): Promise<ExpressionPreview> {
  const shared = previews.get(request) ?? { budget: new Budget(), last: Promise.resolve() };
  previews.set(request, shared);
  const preview = shared.last.then(() => previewExpression(deps, actor, expression, seen, shared.budget));
  shared.last = preview.catch(() => undefined);
  return preview;
}

/**
 * Evaluates what a config may hold: text with `{{ expressions }}`, or one expression without braces. Secrets are not
 * decrypted, because an expression could reveal them character by character: `[redacted]` stands for each, and it must exist.
 */
async function previewExpression(
  deps: Deps,
  actor: Actor,
  expression: string,
  seen: Seen,
  budget: Budget,
): Promise<ExpressionPreview> {
  const secrets = async (key: string) => ((await findSecret(deps, actor, key)) ? redacted : undefined);
  try {
    const template = compileTemplate({ expression }, { deferred: ['expression'] }).deferred('expression');
    budget.resume();
    const value: unknown = await template.evaluate({ ...seen, secrets }, budget);
    checkSize(value);
    return { value: value ?? null, error: null };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    // Braces were added around an expression that has none.
    const added = expression.includes('{{') ? 0 : 2;
    return { value: null, error: { message: error.reason, position: Math.max(error.place.position - added, 0) } };
  }
}
