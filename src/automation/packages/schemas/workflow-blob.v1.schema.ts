import { z } from 'zod';
import { workflowBlobSchema } from '#src/automation/blob/blob.inputs.ts';

/**
 * `workflow-blob/v1`: nodes, the edges between them, and a run's settings. Generated from the schema that parses blobs, so
 * that the published schema cannot differ from it; describes what a client sends, before defaults.
 */
export const workflowBlobV1Schema: Readonly<Record<string, unknown>> = {
  ...z.toJSONSchema(workflowBlobSchema, { target: 'draft-2020-12', io: 'input' }),
  $id: '/api/v1/schemas/workflow-blob/v1',
  title: 'Workflow blob',
};
