import { mutation } from '#console/graph/documents.ts';
import { WorkflowRow } from './workflows.documents.ts';

export const CreateWorkflow = mutation('createWorkflow', 'workflow { id }');

export const UpdateWorkflow = mutation('updateWorkflow', 'workflow { ...WorkflowRow }', [WorkflowRow]);

export const DeleteWorkflow = mutation('deleteWorkflow', 'deletedId');

export const BuildWorkflow = mutation('buildWorkflow', 'workflow { ...WorkflowRow }', [WorkflowRow]);

export const PublishWorkflow = mutation('publishWorkflow', 'workflow { ...WorkflowRow }', [WorkflowRow]);

export const DiscardWorkflowDraft = mutation('discardWorkflowDraft', 'workflow { ...WorkflowRow }', [WorkflowRow]);

export const RestoreWorkflowRevision = mutation('restoreWorkflowRevision', 'workflow { ...WorkflowRow }', [
  WorkflowRow,
]);

export const UpgradeNodes = mutation('upgradeNodes', 'remaining upgraded { path }');

export const AddTriggerToWorkflow = mutation('createTrigger', 'trigger { id }');

export const StartRunOfWorkflow = mutation('startRun', 'run { id }');
