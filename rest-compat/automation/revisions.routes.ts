import { inputBody } from '#rest/bodies.ts';
import { one } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import { restoreRevisionInput } from '#src/automation/workflows/workflows.inputs.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import { workflowFields } from './workflows.routes.ts';

const tag = {
  name: 'Workflow Revisions',
  description: 'What a workflow was after each change of its blob, and what differs.',
};

const rowFields = 'revision created_at: createdAt created_by: createdBy note';
const changeFields = 'fragment Change on WorkflowChange { path from to }';

const largestInt = 2 ** 31 - 1;

/** A revision number in a path; it may be out of range. */
function readRevision(digits: string): number {
  const revision = Number(digits);
  if (revision > largestInt) throw new NotFoundError();
  return revision;
}

export const revisionRoutes = [
  route({
    method: 'GET',
    path: '/workflows/{id}/revisions',
    name: 'listWorkflowRevisions',
    tag,
    summary: "A workflow's revisions, newest first, beginning with the present one.",
    document: `query ($id: ID!, $first: Int, $offset: Int) {
        workflow(id: $id) {
          revisions(first: $first, offset: $offset) { totalCount edges { node { ...RevisionRow } } }
        }
      } fragment RevisionRow on WorkflowRevision { ${rowFields} }`,
    list: { at: 'revisions' },
    variables: ({ params, page }) => ({ id: params.id, ...page }),
  }),
  route({
    method: 'GET',
    path: '/workflows/{id}/revisions/{n}',
    name: 'getWorkflowRevision',
    tag,
    summary: 'A revision with its blob.',
    document: `query ($id: ID!, $n: Int!) {
        workflowRevision(workflowId: $id, revision: $n) { ...Revision }
      } fragment Revision on WorkflowRevision { ${rowFields} blob }`,
    variables: ({ params: { id, n } }) => ({ id, n: readRevision(n) }),
    reply: one(),
  }),
  route({
    method: 'GET',
    path: '/workflows/{id}/revisions/{n}/diff/{m}',
    name: 'diffWorkflowRevisions',
    tag,
    summary: 'What turns revision n into revision m: nodes, edges, settings and state, and the same in lines to read.',
    document: `query ($id: ID!, $n: Int!, $m: Int!) {
        workflowDiff(workflowId: $id, from: $n, to: $m) {
          from to
          nodes { added removed changed { id changes { ...Change } } }
          edges { added removed }
          settings { ...Change } state { ...Change } summary truncated
        }
      } ${changeFields}`,
    variables: ({ params: { id, n, m } }) => ({ id, n: readRevision(n), m: readRevision(m) }),
    reply: one(),
  }),
  route({
    method: 'POST',
    path: '/workflows/{id}/revisions/{n}/restore',
    name: 'restoreWorkflowRevision',
    tag,
    summary: "Makes a revision's blob the present one, as a brand-new revision that is built.",
    document: `mutation ($input: RestoreWorkflowRevisionInput!) {
        restoreWorkflowRevision(input: $input) {
          ... on RestoreWorkflowRevisionPayload { workflow { ...Workflow } }
          ...Failure
        }
      } ${workflowFields}`,
    body: inputBody(restoreRevisionInput.omit({ revision: true })),
    variables: ({ params: { id, n }, body }) => ({ input: { ...body, workflowId: id, revision: readRevision(n) } }),
    reply: one({ at: 'workflow' }),
    example: { body: { note: 'The new mapping lost orders.' } },
  }),
];
