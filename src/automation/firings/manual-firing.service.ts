import { noManualTrigger } from '#src/automation/runs/runnable.rules.ts';
import { startRunInput } from '#src/automation/runs/runs.inputs.ts';
import type { RunAnswer } from '#src/automation/runs/runs.service.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { AppError, ConflictError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { fire, type FiringDeps } from './firings.service.ts';

/** Starts a run by hand, from the given trigger or the workflow's active manual one. */
export async function startRun(
  deps: FiringDeps,
  actor: Actor,
  {
    workflowId,
    ...given
  }: { workflowId: bigint; triggerHandle?: string | null; payload?: unknown; idempotencyKey?: string | null },
): Promise<RunAnswer> {
  const input = parseInput(startRunInput, given);
  const { tenantId } = actor;
  const trigger = await deps.database.withTenant(tenantId, async (tx) => {
    const workflow = await tx.workflow.findFirst({
      where: { tenantId, id: workflowId, deletedAt: null },
      select: { id: true },
    });
    if (!workflow) throw new NotFoundError();
    const chosen = input.triggerHandle ? { handle: input.triggerHandle } : { type: 'manual' as const };
    return tx.trigger.findFirst({ where: { tenantId, workflowId, active: true, ...chosen }, orderBy: { id: 'asc' } });
  });
  if (!trigger) {
    if (!input.triggerHandle) throw new AppError('UNPROCESSABLE', noManualTrigger);
    throw new ValidationError({ triggerHandle: ['The workflow has no active trigger with this handle.'] });
  }
  const fired = await fire(deps, {
    actor,
    handle: trigger.handle,
    type: trigger.type,
    workflowId: Number(workflowId),
    payload: input.payload ?? null,
    capture: false,
    ...(input.idempotencyKey && { idempotencyKey: input.idempotencyKey }),
  });
  if (fired.outcome === 'unknown') throw new NotFoundError();
  if (fired.outcome !== 'run') throw new ConflictError(fired.reason);
  if (!fired.repeated) return { runId: fired.runId, workflowId: fired.workflowId, status: 'queued' };
  return readAnswer(deps, tenantId, BigInt(fired.runId));
}

async function readAnswer(deps: Pick<Deps, 'database'>, tenantId: string, id: bigint): Promise<RunAnswer> {
  const [row] = await deps.database.tenantQuery<{ workflow_id: number; status: string }>(tenantId, {
    text: 'SELECT workflow_id, status FROM runs WHERE tenant_id = $1 AND id = $2',
    values: [tenantId, id],
  });
  if (!row) throw new NotFoundError();
  return { runId: Number(id), workflowId: row.workflow_id, status: row.status };
}
