import type { BundleStatus } from '#prisma/enums.ts';
import { ConflictError } from '#src/infra/errors.ts';

/** Reasons why a workflow cannot start a run now. */
const bundleNotReady = 'Workflow bundle is not ready.';

/** The state of the build of a workflow's revision, with the column names of rows. */
export interface BundleState {
  bundle_id: number | null;
  bundle_status: BundleStatus;
  /** Why the build failed; null otherwise. */
  bundle_error: string | null;
}

/** Why the workflow has no bundle to start a run with; null when it has one. The reason of a failed build is the build's error. */
export function bundleFault({ bundle_id: id, bundle_status: status, bundle_error: error }: BundleState): string | null {
  if (id !== null && status === 'ready') return null;
  return status === 'failed' && error !== null ? `${bundleNotReady} Its build failed: ${error}` : bundleNotReady;
}

/** The id of the bundle to run. Throws a ConflictError if there is none. */
export function requireBundle(state: BundleState): number {
  const fault = bundleFault(state);
  if (fault !== null || state.bundle_id === null) throw new ConflictError(fault ?? bundleNotReady);
  return state.bundle_id;
}

export const workflowInactive = 'Workflow is not active.';
export const workflowDeleted = 'Workflow has been deleted.';
export const noManualTrigger =
  'Workflow has no active manual trigger; pass trigger_handle to start a specific trigger.';

/** The notice for a retried run whose workflow is now at another revision; null when it is still at the same one. */
export const keptRevision = ({
  revision,
  workflow_revision: current,
}: {
  revision: number;
  workflow_revision: number;
}) =>
  revision === current
    ? null
    : `The workflow has changed since: this run keeps revision ${revision}, and the workflow is at ${current}. To run it as it now is, use rerun.`;
