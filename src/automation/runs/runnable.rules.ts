/** Reasons why a workflow cannot start a run now. */
export const bundleNotReady = 'Workflow bundle is not ready.';
export const workflowInactive = 'Workflow is not active.';
export const workflowDeleted = 'Workflow has been deleted.';
export const noManualTrigger =
  'Workflow has no active manual trigger; pass trigger_handle to start a specific trigger.';
