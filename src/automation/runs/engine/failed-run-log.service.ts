import type { Deps } from '#src/infra/deps.ts';

/**
 * Writes the line of a failed run to the server's log, once its end is recorded. It names where and with which code; what the error
 * says may be the tenant's data, and is with the run.
 */
export function logFailedRun(
  log: Deps['log'],
  { tenantId, workflowId, id: runId }: { tenantId: string; workflowId: number; id: number },
  { step, code }: { step: string | null; code: string },
): void {
  log.warn({ tenantId, workflowId, runId, step, code }, 'A run failed.');
}
