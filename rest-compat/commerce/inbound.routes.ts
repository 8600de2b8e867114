import { inputBody } from '#rest/bodies.ts';
import { nothing, one } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import {
  createEndpointInput,
  inboundTargets,
  rotateSecretInput,
  updateEndpointInput,
} from '#src/commerce/inbound/endpoints.inputs.ts';
import { ValidationError } from '#src/infra/errors.ts';

const tag = { name: 'Inbound endpoints', description: 'URLs to which other systems post their events.' };

const endpointFields = `fragment Endpoint on InboundEndpoint {
  id: databaseId endpoint_id: endpointId url name verifier config trigger_handle: triggerHandle topic status
  previous_secret_expires_at: previousSecretExpiresAt created_at: createdAt updated_at: updatedAt
}`;

/** The graph's `target`, as members of the body. */
const flatTarget = { triggerHandle: inboundTargets.triggerHandle.nullish(), topic: inboundTargets.topic.nullish() };

interface Flat {
  triggerHandle?: string | null | undefined;
  topic?: string | null | undefined;
}

/** The body as the graph's input; `target` is undefined if the body names neither. ValidationError if it names both, or clears one. */
function toInput<Body extends Flat>({ triggerHandle, topic, ...body }: Body, isNew: boolean) {
  if (triggerHandle != null && topic != null)
    throw unbound('Bind the endpoint to a trigger or to a topic, not to both.');
  if (triggerHandle != null) return { ...body, target: { triggerHandle } };
  if (topic != null) return { ...body, target: { topic } };
  if (isNew || triggerHandle === null || topic === null)
    throw unbound('Name the webhook trigger that calls fire, or the topic of their events.');
  return body;
}

const unbound = (message: string): ValidationError =>
  new ValidationError({ triggerHandle: [message], topic: [message] });

const example = {
  name: 'ERP',
  config: { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
  topic: 'erp.stock.counted',
};

export const inboundRoutes = [
  route({
    method: 'GET',
    path: '/webhooks/inbound-endpoints',
    name: 'listInboundEndpoints',
    tag,
    summary: 'The inbound endpoints of the tenant.',
    document: `query ($orderBy: InboundEndpointOrder, $first: Int, $offset: Int) {
      inboundEndpoints(orderBy: $orderBy, first: $first, offset: $offset) { totalCount edges { node { ...Endpoint } } }
    } ${endpointFields}`,
    list: { order: { fields: ['created_at', 'updated_at', 'name'], byDefault: 'created_at.desc' } },
  }),
  route({
    method: 'POST',
    path: '/webhooks/inbound-endpoints',
    name: 'createInboundEndpoint',
    tag,
    summary: 'Makes an endpoint, with a URL of its own.',
    document: `mutation ($input: CreateInboundEndpointInput!) {
      createInboundEndpoint(input: $input) {
        ... on CreateInboundEndpointPayload { inboundEndpoint { ...Endpoint } } ...Failure
      }
    } ${endpointFields}`,
    body: inputBody(createEndpointInput.omit({ target: true }).extend(flatTarget)),
    variables: ({ body }) => ({ input: toInput(body, true) }),
    reply: one({ status: 201, at: 'inboundEndpoint' }),
    example: { body: example },
  }),
  route({
    method: 'GET',
    path: '/webhooks/inbound-endpoints/{id}',
    name: 'getInboundEndpoint',
    tag,
    summary: 'An endpoint.',
    document: `query ($id: ID!) { inboundEndpoint(id: $id) { ...Endpoint } } ${endpointFields}`,
    variables: ({ params }) => ({ id: params.id }),
    reply: one(),
  }),
  route({
    method: 'PATCH',
    path: '/webhooks/inbound-endpoints/{id}',
    name: 'updateInboundEndpoint',
    tag,
    summary: 'Changes what is given; the URL stays.',
    document: `mutation ($input: UpdateInboundEndpointInput!) {
      updateInboundEndpoint(input: $input) {
        ... on UpdateInboundEndpointPayload { inboundEndpoint { ...Endpoint } } ...Failure
      }
    } ${endpointFields}`,
    body: inputBody(updateEndpointInput.omit({ target: true }).extend(flatTarget)),
    variables: ({ params, body }) => ({ input: { ...toInput(body, false), id: params.id } }),
    reply: one({ at: 'inboundEndpoint' }),
    example: { body: { name: 'ERP of the warehouse' } },
  }),
  route({
    method: 'DELETE',
    path: '/webhooks/inbound-endpoints/{id}',
    name: 'deleteInboundEndpoint',
    tag,
    summary: 'Deletes an endpoint; its URL answers 404 from then on.',
    document: `mutation ($id: ID!) {
      deleteInboundEndpoint(input: { id: $id }) { ... on DeleteInboundEndpointPayload { deletedId } ...Failure }
    }`,
    variables: ({ params }) => ({ id: params.id }),
    reply: nothing,
  }),
  route({
    method: 'POST',
    path: '/webhooks/inbound-endpoints/{id}/enable',
    name: 'enableInboundEndpoint',
    tag,
    summary: 'Lets an endpoint take calls again.',
    document: `mutation ($id: ID!) {
      enableInboundEndpoint(input: { id: $id }) {
        ... on EnableInboundEndpointPayload { inboundEndpoint { ...Endpoint } } ...Failure
      }
    } ${endpointFields}`,
    variables: ({ params }) => ({ id: params.id }),
    reply: one({ at: 'inboundEndpoint' }),
  }),
  route({
    method: 'POST',
    path: '/webhooks/inbound-endpoints/{id}/disable',
    name: 'disableInboundEndpoint',
    tag,
    summary: 'From the next call on the endpoint answers 410.',
    document: `mutation ($id: ID!) {
      disableInboundEndpoint(input: { id: $id }) {
        ... on DisableInboundEndpointPayload { inboundEndpoint { ...Endpoint } } ...Failure
      }
    } ${endpointFields}`,
    variables: ({ params }) => ({ id: params.id }),
    reply: one({ at: 'inboundEndpoint' }),
  }),
  route({
    method: 'POST',
    path: '/webhooks/inbound-endpoints/{id}/rotate-secret',
    name: 'rotateInboundEndpoint',
    tag,
    summary: 'Gives an endpoint another secret; for 24 hours, or as long as is told, both are good.',
    document: `mutation ($input: RotateInboundEndpointInput!) {
      rotateInboundEndpoint(input: $input) {
        ... on RotateInboundEndpointPayload { inboundEndpoint { ...Endpoint } } ...Failure
      }
    } ${endpointFields}`,
    body: inputBody(rotateSecretInput),
    variables: ({ params, body }) => ({ input: { ...body, id: params.id } }),
    reply: one({ at: 'inboundEndpoint' }),
    example: { body: { secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD', overlap_hours: 48 } },
  }),
  route({
    method: 'GET',
    path: '/webhooks/inbound-endpoints/{id}/calls',
    name: 'listInboundCalls',
    tag,
    summary: 'The calls that an endpoint accepted, newest first; kept for thirty days.',
    document: `query ($id: ID!, $first: Int, $offset: Int) {
      inboundEndpoint(id: $id) {
        calls(first: $first, offset: $offset) {
          totalCount
          edges { node { event_id: eventId run_id: runId dead_letter_id: deadLetterId received_at: receivedAt } }
        }
      }
    }`,
    variables: ({ params, page }) => ({ id: params.id, ...page }),
    list: { at: 'calls' },
  }),
  route({
    method: 'GET',
    path: '/webhooks/inbound-endpoints/{id}/refusals',
    name: 'listInboundRefusals',
    tag,
    summary: 'The calls that an endpoint refused, counted by hour and reason, the latest first; kept for thirty days.',
    document: `query ($id: ID!, $first: Int, $offset: Int) {
      inboundEndpoint(id: $id) {
        refusals(first: $first, offset: $offset) {
          totalCount edges { node { reason count sample hour last_at: lastAt } }
        }
      }
    }`,
    variables: ({ params, page }) => ({ id: params.id, ...page }),
    list: { at: 'refusals' },
  }),
];
