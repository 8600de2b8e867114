import { z } from 'zod';
import { inputBody } from '#rest/bodies.ts';
import { databaseId, queryList } from '#rest/parameters.ts';
import { data, one } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import { replayInput } from '#src/automation/dead-letters/dead-letters.inputs.ts';
import { instantText } from '#src/infra/text/instant-text.ts';

const tag = {
  name: 'Run Dead Letters',
  description: 'Firings of triggers that could not start a run, kept to be replayed or discarded.',
};

const rowFields = `fragment DeadLetter on DeadLetter {
  id: databaseId workflow_id: workflowId workflow_name: workflowName trigger_id: triggerId source
  trigger_handle: triggerHandle reason status created_at: createdAt updated_at: updatedAt
}`;

const narrowing = z.object({
  status: queryList(z.enum(['pending', 'replayed', 'discarded'])),
  workflow_id: databaseId.optional(),
  since: instantText.optional(),
  until: instantText.optional(),
});

const toFilter = ({ status, workflow_id, since, until }: z.output<typeof narrowing>) => ({
  filter: { status, workflowId: workflow_id, since, until },
});

const replayed = one({ status: 202, at: 'run' });

export const deadLetterRoutes = [
  route({
    method: 'GET',
    path: '/dead-letters',
    name: 'listDeadLetters',
    tag,
    summary: 'Firings of all workflows that could not start a run, newest first. All given filters must match.',
    document: `query ($filter: DeadLetterFilter, $first: Int, $offset: Int) {
        deadLetters(filter: $filter, first: $first, offset: $offset) {
          edges { node { ...DeadLetter } } pageInfo { hasNextPage }
        }
      } ${rowFields}`,
    list: {},
    query: narrowing,
    variables: ({ query, page }) => ({ ...toFilter(query), ...page }),
  }),
  route({
    method: 'GET',
    path: '/dead-letters/summary',
    name: 'summariseDeadLetters',
    tag,
    summary: 'How many dead letters the filters leave, by status.',
    document: `query ($filter: DeadLetterFilter) {
        deadLetterSummary(filter: $filter) { total by_status: byStatus { pending replayed discarded } }
      }`,
    query: narrowing,
    variables: ({ query }) => toFilter(query),
    reply: data(),
  }),
  route({
    method: 'GET',
    path: '/dead-letters/{id}',
    name: 'getDeadLetter',
    tag,
    summary: 'A dead letter with the payload it captured, also once its workflow has been deleted.',
    document: `query ($id: ID!) { deadLetter(id: $id) { ...DeadLetter payload } } ${rowFields}`,
    variables: ({ params }) => params,
    reply: one(),
  }),
  route({
    method: 'GET',
    path: '/workflows/{id}/dead-letters',
    name: 'listWorkflowDeadLetters',
    tag,
    summary: "A workflow's dead letters, newest first, also once it has been deleted.",
    document: `query ($id: ID!, $first: Int, $offset: Int) {
        workflow(id: $id, includeDeleted: true) {
          deadLetters(first: $first, offset: $offset) { totalCount edges { node { ...DeadLetter } } }
        }
      } ${rowFields}`,
    list: { at: 'deadLetters' },
    variables: ({ params, page }) => ({ id: params.id, ...page }),
  }),
  route({
    method: 'POST',
    path: '/dead-letters/{id}/replay',
    name: 'replayDeadLetter',
    tag,
    summary: 'Starts a run from the captured payload, at the captured trigger or at another of the workflow.',
    document: `mutation ($input: ReplayDeadLetterInput!) {
        replayDeadLetter(input: $input) {
          ... on ReplayDeadLetterPayload { run { id: databaseId workflow_id: workflowId status } }
          ...Failure
        }
      }`,
    body: inputBody(replayInput),
    variables: ({ params, body }) => ({ input: { ...body, id: params.id } }),
    reply: {
      ...replayed,
      // The contract's response shows how the run was accepted, although a short one may have ended since.
      body: (found, query) => ({ ...(replayed.body(found, query) as object), status: 'running' }),
    },
    refuses: ['CONFLICT', 'UNAVAILABLE'],
    example: { body: {} },
  }),
  route({
    method: 'POST',
    path: '/dead-letters/{id}/discard',
    name: 'discardDeadLetter',
    tag,
    summary: 'Gives a dead letter up; no run is started.',
    document: `mutation ($id: ID!) {
        discardDeadLetter(input: { id: $id }) {
          ... on DiscardDeadLetterPayload { deadLetter { id: databaseId status } }
          ...Failure
        }
      }`,
    variables: ({ params }) => params,
    reply: one({ at: 'deadLetter' }),
    refuses: ['CONFLICT'],
  }),
];
