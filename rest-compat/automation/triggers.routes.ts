import { inputBody } from '#rest/bodies.ts';
import { data, nothing, one } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import { createTriggerInput, updateTriggerInput } from '#src/automation/triggers/triggers.inputs.ts';

const tag = {
  name: 'Triggers',
  description: 'What starts a workflow: by hand, on a schedule, by a webhook or by an event.',
};

const triggerFields = `fragment Trigger on Trigger {
  id: databaseId workflow_id: workflowId handle type name config active created_at: createdAt updated_at: updatedAt
}`;

export const triggerRoutes = [
  route({
    method: 'GET',
    path: '/workflows/{id}/triggers',
    name: 'listTriggers',
    tag,
    summary: "A workflow's triggers, oldest first.",
    document: `query ($id: ID!) { workflow(id: $id) { triggers { ...Trigger } } } ${triggerFields}`,
    variables: ({ params }) => ({ id: params.id }),
    reply: data({ at: 'triggers' }),
  }),
  route({
    method: 'POST',
    path: '/workflows/{id}/triggers',
    name: 'createTrigger',
    tag,
    summary: 'Makes a trigger; its handle never changes.',
    document: `mutation ($input: CreateTriggerInput!) {
        createTrigger(input: $input) { ... on CreateTriggerPayload { trigger { ...Trigger } } ...Failure }
      } ${triggerFields}`,
    body: inputBody(createTriggerInput),
    variables: ({ params, body }) => ({ input: { ...body, workflowId: params.id } }),
    reply: one({ status: 201, at: 'trigger' }),
    example: { body: { type: 'manual', name: 'By hand' } },
  }),
  route({
    method: 'GET',
    path: '/workflows/{workflowId}/triggers/{triggerId}',
    name: 'getTrigger',
    tag,
    summary: 'A trigger.',
    document: `query ($id: ID!, $workflowId: ID!) { trigger(id: $id, workflowId: $workflowId) { ...Trigger } } ${triggerFields}`,
    variables: ({ params }) => ({ id: params.triggerId, workflowId: params.workflowId }),
    reply: one(),
  }),
  route({
    method: 'PATCH',
    path: '/workflows/{workflowId}/triggers/{triggerId}',
    name: 'updateTrigger',
    tag,
    summary: 'Changes what is given.',
    document: `mutation ($input: UpdateTriggerInput!) {
        updateTrigger(input: $input) { ... on UpdateTriggerPayload { trigger { ...Trigger } } ...Failure }
      } ${triggerFields}`,
    body: inputBody(updateTriggerInput),
    variables: ({ params, body }) => ({ input: { ...body, id: params.triggerId, workflowId: params.workflowId } }),
    reply: one({ at: 'trigger' }),
    refuses: ['CONFLICT'],
    example: { body: { active: false } },
  }),
  route({
    method: 'DELETE',
    path: '/workflows/{workflowId}/triggers/{triggerId}',
    name: 'deleteTrigger',
    tag,
    summary: 'Deletes a trigger.',
    document: `mutation ($id: ID!, $workflowId: ID!) {
        deleteTrigger(input: { id: $id, workflowId: $workflowId }) { ... on DeleteTriggerPayload { deletedId } ...Failure }
      }`,
    variables: ({ params }) => ({ id: params.triggerId, workflowId: params.workflowId }),
    reply: nothing,
    refuses: ['CONFLICT'],
  }),
];
