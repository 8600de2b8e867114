import type { Deps, Principal } from '#src/infra/deps.ts';
import { ConflictError, NotFoundError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { auditedFailedJob } from './failed-jobs.declarations.ts';
import { failedJobInput } from './failed-jobs.inputs.ts';
import { type FailedJob, findFailedJob } from './failed-jobs.reads.ts';
import { notPutBack } from './failed-jobs.rules.ts';

/** Puts a failed job back into its queue, with all of its attempts. Of several concurrent calls, one succeeds. */
export const retryFailedJob = (deps: Deps, principal: Principal, given: unknown): Promise<FailedJob> =>
  settle(deps, principal, given, 'update', async (tx, { id, job }) => {
    if (!(await deps.jobs.retryFailed(id, { tx }))) throw new ConflictError(notPutBack(job));
  });

/** Discards a failed job. */
export const discardFailedJob = (deps: Deps, principal: Principal, given: unknown): Promise<FailedJob> =>
  settle(deps, principal, given, 'delete', async (tx, { id }) => {
    if (!(await deps.jobs.discardFailed(id, { tx }))) throw new NotFoundError();
  });

/** Moves the job and writes the audit entry in one transaction. */
async function settle(
  deps: Deps,
  principal: Principal,
  given: unknown,
  action: 'update' | 'delete',
  move: (tx: Tx, failed: FailedJob) => Promise<void>,
): Promise<FailedJob> {
  const { id } = parseInput(failedJobInput, given);
  const failed = await findFailedJob(deps, id);
  if (!failed) throw new NotFoundError();
  const { tenantId } = failed.payload;
  const tenant =
    typeof tenantId === 'string' ? await deps.database.global.tenant.findUnique({ where: { id: tenantId } }) : null;
  // As the system role: only it may change jobs, which have no tenant column.
  await deps.database.withSystem(async (tx) => {
    await move(tx, failed);
    if (!tenant) return;
    const inTenant = { ...principal, orgId: tenant.orgId, tenantId: tenant.id };
    const metadata = { job: failed.job };
    await recordAudit(tx, inTenant, { resource: auditedFailedJob, action, resourceId: id, metadata });
  });
  // The audit log belongs to tenants: a job without a tenant leaves a line in the process's log.
  if (!tenant)
    deps.log.info({ id, job: failed.job, sub: principal.sub, action }, 'A failed job was retried or discarded.');
  return failed;
}
