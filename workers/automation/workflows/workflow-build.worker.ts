import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import type { Deps } from '#src/platform/deps.ts';

/** Makes a workflow's present revision runnable. */
export const buildWorkflowRevision = (deps: Deps, job: { tenantId: string; workflowId: number }): Promise<void> =>
  buildWorkflow(deps, job);
