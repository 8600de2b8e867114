import { z } from 'zod';
import { type Explain, inputBody } from '#rest/bodies.ts';
import { queryFlag } from '#rest/parameters.ts';
import { nothing, one } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import { isN8nExport, n8nExportMessage } from '#src/automation/blob/n8n-export.inputs.ts';
import { createWorkflowInput, updateWorkflowInput } from '#src/automation/workflows/workflows.inputs.ts';

const tag = { name: 'Workflows', description: 'Graphs of nodes that triggers run.' };

const rowFields = `id: databaseId tenant_id: tenantId name description active revision version
  bundle { status revision error built_at: builtAt } created_at: createdAt updated_at: updatedAt`;
/** A workflow with its blob, as `fragment Workflow`. */
export const workflowFields = `fragment Workflow on Workflow { ${rowFields} blob }`;
const workflowRowFields = `fragment WorkflowRow on Workflow { ${rowFields} }`;

/** An n8n export that is sent as the body or as its blob. */
const explainN8nExport: Explain = (body) =>
  [body, (body as { blob?: unknown } | null)?.blob].some(isN8nExport) ? { blob: [n8nExportMessage] } : undefined;

export const workflowRoutes = [
  route({
    method: 'GET',
    path: '/workflows',
    name: 'listWorkflows',
    tag,
    summary: 'Workflows, newest first, without their blobs.',
    document: `query ($search: String, $active: Boolean, $first: Int, $offset: Int) {
        workflows(filter: { search: $search, active: $active }, first: $first, offset: $offset) {
          totalCount edges { node { ...WorkflowRow } }
        }
      } ${workflowRowFields}`,
    list: {},
    query: z.object({ search: z.string().max(191).optional(), active: queryFlag }),
    variables: ({ query: { search, active }, page }) => ({ search, active, ...page }),
  }),
  route({
    method: 'POST',
    path: '/workflows',
    name: 'createWorkflow',
    tag,
    summary: 'Makes a workflow at revision 1 and builds it.',
    document: `mutation ($input: CreateWorkflowInput!) {
        createWorkflow(input: $input) { ... on CreateWorkflowPayload { workflow { ...Workflow } } ...Failure }
      } ${workflowFields}`,
    body: inputBody(createWorkflowInput, explainN8nExport),
    variables: ({ body }) => ({ input: body }),
    reply: one({ status: 201, at: 'workflow' }),
    example: { body: { name: 'Orders to ERP' } },
  }),
  route({
    method: 'GET',
    path: '/workflows/{id}',
    name: 'getWorkflow',
    tag,
    summary: 'A workflow with its blob.',
    document: `query ($id: ID!) { workflow(id: $id) { ...Workflow } } ${workflowFields}`,
    variables: ({ params }) => ({ id: params.id }),
    reply: one(),
  }),
  route({
    method: 'PATCH',
    path: '/workflows/{id}',
    name: 'updateWorkflow',
    tag,
    summary:
      'Changes what is given. A stale `version` or `revision` answers 409; a changed blob archives the old revision and builds the new one.',
    document: `mutation ($input: UpdateWorkflowInput!) {
        updateWorkflow(input: $input) { ... on UpdateWorkflowPayload { workflow { ...Workflow } } ...Failure }
      } ${workflowFields}`,
    body: inputBody(updateWorkflowInput, explainN8nExport),
    variables: ({ params, body }) => ({ input: { ...body, id: params.id } }),
    reply: one({ at: 'workflow' }),
    refuses: ['CONFLICT'],
    example: { body: { description: 'Sends every order on.' } },
  }),
  route({
    method: 'DELETE',
    path: '/workflows/{id}',
    name: 'deleteWorkflow',
    tag,
    summary: 'Deletes a workflow.',
    document: `mutation ($id: ID!) {
        deleteWorkflow(input: { id: $id }) { ... on DeleteWorkflowPayload { deletedId } ...Failure }
      }`,
    variables: ({ params }) => ({ id: params.id }),
    reply: nothing,
    refuses: ['CONFLICT'],
  }),
  route({
    method: 'POST',
    path: '/workflows/{id}/build',
    name: 'buildWorkflow',
    tag,
    summary: 'Builds the present revision again.',
    document: `mutation ($id: ID!) {
        buildWorkflow(input: { id: $id }) { ... on BuildWorkflowPayload { workflow { ...Workflow } } ...Failure }
      } ${workflowFields}`,
    variables: ({ params }) => ({ id: params.id }),
    reply: one({ status: 202, at: 'workflow' }),
  }),
];
