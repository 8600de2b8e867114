import { z } from 'zod';
import { inputBody, json } from '#rest/bodies.ts';
import { nothing, one, property, type Reply } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import {
  createDestinationInput,
  rotateSecretInput,
  updateDestinationInput,
} from '#src/commerce/webhooks/destinations.inputs.ts';

/** The tag of the routes for webhooks in both directions. */
export const webhooksTag = {
  name: 'Webhooks',
  description: 'Where events are sent, what was sent, and where other systems push to.',
};

const destinationFields = `fragment Destination on WebhookDestination {
  id: databaseId name url topics signing secret_ref: secretRef previous_secret_expires_at: previousSecretExpiresAt
  header_names: headerNames filter rate_per_second: ratePerSecond concurrency ordered
  status disabled_reason: disabledReason problem failing_since: failingSince created_at: createdAt updated_at: updatedAt
}`;

/** The destination, with the secret that only this response shows. */
const withSecret: Reply = {
  status: 200,
  body(found) {
    const { destination, ...beside } = found as { destination: object };
    return { ...destination, ...beside };
  },
  schema(root) {
    const destination = property(root, 'destination');
    const secret = property(root, 'secret');
    return {
      ...destination,
      properties: { ...(destination['properties'] as object), secret },
      required: [...((destination['required'] as string[] | undefined) ?? []), 'secret'],
    };
  },
};

const action = (name: 'enable' | 'disable', summary: string) => {
  const mutation = `${name}WebhookDestination` as const;
  const type = mutation[0]?.toUpperCase() + mutation.slice(1);
  return route({
    method: 'POST',
    path: `/webhooks/destinations/{id}/${name}`,
    name: mutation,
    tag: webhooksTag,
    summary,
    document: `mutation ($input: ${type}Input!) {
      ${mutation}(input: $input) { ... on ${type}Payload { destination: webhookDestination { ...Destination } } ...Failure }
    } ${destinationFields}`,
    body: json(z.object({})),
    variables: ({ params }) => ({ input: { id: params.id } }),
    reply: one({ at: 'destination' }),
    example: { body: {} },
  });
};

export const webhookDestinationRoutes = [
  route({
    method: 'GET',
    path: '/webhooks/destinations',
    name: 'listWebhookDestinations',
    tag: webhooksTag,
    summary: 'Where events are sent.',
    document: `query ($orderBy: WebhookDestinationOrder, $first: Int, $offset: Int) {
      webhookDestinations(orderBy: $orderBy, first: $first, offset: $offset) {
        totalCount edges { node { ...Destination } }
      }
    } ${destinationFields}`,
    list: { order: { fields: ['created_at', 'name'], byDefault: 'created_at.desc' } },
    variables: ({ page }) => ({ ...page }),
  }),
  route({
    method: 'POST',
    path: '/webhooks/destinations',
    name: 'createWebhookDestination',
    tag: webhooksTag,
    summary: 'Sends events of these topics to a URL, from now on.',
    document: `mutation ($input: CreateWebhookDestinationInput!) {
      createWebhookDestination(input: $input) {
        ... on CreateWebhookDestinationPayload { destination: webhookDestination { ...Destination } } ...Failure
      }
    } ${destinationFields}`,
    body: inputBody(createDestinationInput),
    variables: ({ body }) => ({ input: body }),
    reply: one({ status: 201, at: 'destination' }),
    example: {
      body: {
        name: 'ERP',
        url: 'https://erp.example.com/hooks',
        topics: ['order.created', 'order.cancelled'],
        secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
        filter: 'event.data.channel = "web"',
      },
    },
  }),
  route({
    method: 'GET',
    path: '/webhooks/destinations/{id}',
    name: 'getWebhookDestination',
    tag: webhooksTag,
    summary: 'A destination.',
    document: `query ($id: ID!) { webhookDestination(id: $id) { ...Destination } } ${destinationFields}`,
    variables: ({ params }) => ({ id: params.id }),
    reply: one(),
  }),
  route({
    method: 'PATCH',
    path: '/webhooks/destinations/{id}',
    name: 'updateWebhookDestination',
    tag: webhooksTag,
    summary: 'Changes what is given, also for what waits to be sent.',
    document: `mutation ($input: UpdateWebhookDestinationInput!) {
      updateWebhookDestination(input: $input) {
        ... on UpdateWebhookDestinationPayload { destination: webhookDestination { ...Destination } } ...Failure
      }
    } ${destinationFields}`,
    body: inputBody(updateDestinationInput),
    variables: ({ params, body }) => ({ input: { ...body, id: params.id } }),
    reply: one({ at: 'destination' }),
    example: { body: { topics: ['order.created'], concurrency: 5 } },
  }),
  route({
    method: 'DELETE',
    path: '/webhooks/destinations/{id}',
    name: 'deleteWebhookDestination',
    tag: webhooksTag,
    summary: 'Deletes a destination. What waits for it is not sent.',
    document: `mutation ($input: DeleteWebhookDestinationInput!) {
      deleteWebhookDestination(input: $input) { ... on DeleteWebhookDestinationPayload { deletedId } ...Failure }
    }`,
    variables: ({ params }) => ({ input: { id: params.id } }),
    reply: nothing,
  }),
  route({
    method: 'POST',
    path: '/webhooks/destinations/{id}/rotate-secret',
    name: 'rotateWebhookSecret',
    tag: webhooksTag,
    summary: 'Replaces the secret; for 24 hours deliveries carry a signature by each of the two.',
    document: `mutation ($input: RotateWebhookSecretInput!) {
      rotateWebhookSecret(input: $input) {
        ... on RotateWebhookSecretPayload { destination: webhookDestination { ...Destination } secret } ...Failure
      }
    } ${destinationFields}`,
    body: inputBody(rotateSecretInput),
    variables: ({ params, body }) => ({ input: { ...body, id: params.id } }),
    refuses: ['CONFLICT'],
    reply: withSecret,
    example: { body: {} },
  }),
  action('enable', 'Sends to it again; what is held stays held until it is recovered.'),
  action('disable', 'Sends nothing more; what waits, and events from now on, are held.'),
];
