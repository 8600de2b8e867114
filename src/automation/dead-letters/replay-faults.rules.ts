import {
  bundleFault,
  type BundleState,
  workflowDeleted,
  workflowInactive,
} from '#src/automation/runs/runnable.rules.ts';
import { type AppError, ConflictError } from '#src/infra/errors.ts';

export const settledAlready = 'Dead letter has already been replayed or discarded.';

/** Why the workflow of a dead letter cannot start a run; null when it can. The same for one dead letter and for many. */
export function replayFault(letter: BundleState & { deleted: boolean; active: boolean }): AppError | null {
  if (letter.deleted) return new ConflictError(workflowDeleted);
  if (!letter.active) return new ConflictError(workflowInactive);
  const fault = bundleFault(letter);
  return fault === null ? null : new ConflictError(fault);
}
