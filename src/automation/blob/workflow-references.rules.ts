import { walkNodes } from './blob-nodes.rules.ts';
import type { WorkflowBlob } from './blob.inputs.ts';

/** A workflow that a blob names by a constant id. */
export interface WorkflowReference {
  /** The path of the node that calls it; null where it is the error workflow. */
  nodeId: string | null;
  /** The field that holds the id, in that node or in the blob. */
  field: string;
  /** The location of that field in the blob. */
  path: string;
  workflowId: bigint;
}

/** The workflows that a blob calls by sub-workflow nodes, and its error workflow. An id that an expression computes is not known. */
export function workflowReferences(blob: WorkflowBlob): WorkflowReference[] {
  const references = [...walkNodes(blob)].flatMap(({ path: nodeId, place, node }): WorkflowReference[] => {
    const called = node.node === 'core:sub-workflow' ? node.config['workflow_id'] : undefined;
    if (!Number.isSafeInteger(called) || Number(called) < 1) return [];
    const field = 'config.workflow_id';
    return [{ nodeId, field, path: `${place}.${field}`, workflowId: BigInt(called as number) }];
  });
  const onError = blob.settings?.error_workflow_id;
  if (onError === undefined) return references;
  const field = 'settings.error_workflow_id';
  return [...references, { nodeId: null, field, path: `blob.${field}`, workflowId: BigInt(onError) }];
}
