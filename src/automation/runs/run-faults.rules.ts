import { type AppError, ConflictError } from '#src/infra/errors.ts';
import { canRetry, isTerminal } from './run-status.rules.ts';
import { bundleFault, type BundleState, workflowDeleted, workflowInactive } from './runnable.rules.ts';

/** Why an action on a run is refused; null when it is not. The same for one run and for many. */

interface State {
  status: string;
  is_test: boolean;
  workflow_deleted: boolean;
  workflow_active: boolean;
  workflow_bundle_id: number | null;
}

export const cancelFault = ({ status }: Pick<State, 'status'>): AppError | null =>
  isTerminal(status)
    ? new ConflictError(`The run has ${status === 'cancelled' ? 'been cancelled' : status} already.`)
    : null;

export function retryFault({ status, workflow_deleted }: Pick<State, 'status' | 'workflow_deleted'>): AppError | null {
  if (workflow_deleted) return new ConflictError(workflowDeleted);
  return canRetry(status) ? null : new ConflictError(`Only a failed run can be retried; this one is ${status}.`);
}

export function rerunFault(run: State & BundleState): AppError | null {
  if (run.is_test) return new ConflictError('A test run cannot be rerun, since the new run would not be a test.');
  if (run.workflow_deleted) return new ConflictError(workflowDeleted);
  if (!run.workflow_active) return new ConflictError(workflowInactive);
  const fault = bundleFault({ ...run, bundle_id: run.workflow_bundle_id });
  return fault === null ? null : new ConflictError(fault);
}
