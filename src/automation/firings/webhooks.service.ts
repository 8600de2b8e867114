import { receiveBody } from '#src/automation/files/received-files.service.ts';
import type { FileDeps } from '#src/automation/files/run-files.service.ts';
import type { LiveRunDeps } from '#src/automation/runs/live/live-runs.service.ts';
import { waitForRun } from '#src/automation/runs/live/run-waiting.service.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { fireWebhookInput, isHandle, type WebhookConfig, webhookConfig } from './firings.inputs.ts';
import { fire, type FiringDeps } from './firings.service.ts';

/** The outcome of a webhook's firing. `result` is set when the trigger responds on finish and the run has ended. */
export interface WebhookAnswer {
  runId: number | null;
  deadLetterId: number | null;
  status: string;
  finished: boolean;
  result: unknown;
  error: string | null;
  /** Where the body does not fit the message that the trigger expects; null if it fits or none is expected. */
  warning: string | null;
}

const defaultWaitMs = 30_000;
const unfinished = { finished: false, result: null, error: null, warning: null };

/**
 * Fires a webhook trigger of the actor's tenant. Throws NotFoundError when the handle is not that of an active webhook
 * trigger, and ValidationError for a body that the trigger refuses.
 */
export async function fireWebhook(
  deps: FiringDeps & LiveRunDeps & FileDeps,
  actor: Actor,
  { handle, payload, ...given }: { handle: string; payload?: unknown; idempotencyKey?: string | null },
): Promise<WebhookAnswer> {
  const { idempotencyKey } = parseInput(fireWebhookInput, given);
  if (!isHandle(handle)) throw new NotFoundError();
  const received = await receiveBody(deps, actor.tenantId, payload ?? null);
  const fired = await fire(deps, {
    actor: actor.channel === 'webhook' ? actor : { ...actor, channel: 'webhook' },
    handle: handle.toLowerCase(),
    type: 'webhook',
    payload: received.payload,
    capture: true,
    isAnswered: true,
    ...(idempotencyKey != null && { idempotencyKey }),
  }).catch(async (error: unknown) => {
    // After any other failure a run may have started nevertheless.
    if (error instanceof ValidationError) await received.drop();
    throw error;
  });
  if (fired.outcome === 'unknown' || fired.outcome === 'not_runnable') {
    await received.drop();
    throw new NotFoundError();
  }
  if (fired.outcome === 'refused') {
    await received.drop();
    throw new ValidationError({ payload: [fired.reason] });
  }
  if (fired.outcome === 'dead_letter') {
    return { runId: null, deadLetterId: fired.deadLetterId, status: 'pending', ...unfinished };
  }
  const { runId, misfit: warning = null } = fired;
  await received.assign(runId);
  const config = fired.triggerConfig as Partial<WebhookConfig> | null;
  if (config?.respond !== 'on_finish') return { runId, deadLetterId: null, status: 'queued', ...unfinished, warning };
  const { respond_timeout_ms: limit } = webhookConfig.parse(config);
  const run = await waitForRun(deps, actor.tenantId, runId, limit ?? defaultWaitMs);
  if (!run)
    return {
      runId,
      deadLetterId: null,
      status: await readRunStatus(deps, actor.tenantId, runId),
      ...unfinished,
      warning,
    };
  const [row] = await deps.database.tenantQuery<{ result: unknown }>(actor.tenantId, {
    text: 'SELECT result FROM run_results WHERE tenant_id = $1 AND run_id = $2',
    values: [actor.tenantId, runId],
  });
  return {
    runId,
    deadLetterId: null,
    status: run.status,
    finished: true,
    result: row?.result ?? null,
    error: run.error,
    warning,
  };
}

async function readRunStatus({ database }: Pick<Deps, 'database'>, tenantId: string, runId: number): Promise<string> {
  const [run] = await database.tenantQuery<{ status: string }>(tenantId, {
    text: 'SELECT status FROM runs WHERE tenant_id = $1 AND id = $2',
    values: [tenantId, runId],
  });
  return run?.status ?? 'running';
}
