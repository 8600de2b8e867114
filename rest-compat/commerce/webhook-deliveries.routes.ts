import { z } from 'zod';
import { inputBody, json } from '#rest/bodies.ts';
import { databaseId } from '#rest/parameters.ts';
import { one, type Reply } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import { deliveryStatuses } from '#src/commerce/webhooks/deliveries.inputs.ts';
import { recoverInput } from '#src/commerce/webhooks/destinations.inputs.ts';
import { instantText } from '#src/infra/text/instant-text.ts';
import { webhooksTag as tag } from './webhook-destinations.routes.ts';

const deliveryFields = `fragment Delivery on WebhookDelivery {
  id: databaseId destination_id: destinationId event_id: eventId topic status reason next_attempt_at: nextAttemptAt
  attempts { try status http_code: httpCode error duration_ms: durationMs response at }
  created_at: createdAt updated_at: updatedAt
}`;

const accepted: Reply = { ...one(), status: 202 };

export const webhookDeliveryRoutes = [
  route({
    method: 'POST',
    path: '/webhooks/destinations/{id}/ping',
    name: 'pingWebhookDestination',
    tag,
    summary: 'Sends a test event to one destination, whatever its topics and filter say.',
    document: `mutation ($input: PingWebhookDestinationInput!) {
      pingWebhookDestination(input: $input) {
        ... on PingWebhookDestinationPayload { delivery: webhookDelivery { ...Delivery } } ...Failure
      }
    } ${deliveryFields}`,
    body: json(z.object({})),
    variables: ({ params }) => ({ input: { id: params.id } }),
    reply: one({ status: 202, at: 'delivery' }),
    example: { body: {} },
  }),
  route({
    method: 'POST',
    path: '/webhooks/destinations/{id}/recover',
    name: 'recoverWebhookDestination',
    tag,
    summary: 'Sends every delivery that was held or given up since a time.',
    document: `mutation ($input: RecoverWebhookDestinationInput!) {
      recoverWebhookDestination(input: $input) { ... on RecoverWebhookDestinationPayload { queued } ...Failure }
    }`,
    body: inputBody(recoverInput.extend({ since: instantText })),
    variables: ({ params, body }) => ({ input: { ...body, id: params.id } }),
    refuses: ['CONFLICT'],
    reply: accepted,
    example: { body: { since: '2026-01-31T12:00:00Z', topics: ['order.created'], dry_run: true } },
  }),
  route({
    method: 'GET',
    path: '/webhooks/deliveries',
    name: 'listWebhookDeliveries',
    tag,
    summary: 'What was sent in the last 30 days, and what waits to be.',
    document: `query ($filter: WebhookDeliveryFilter, $orderBy: WebhookDeliveryOrder, $first: Int, $offset: Int) {
      webhookDeliveries(filter: $filter, orderBy: $orderBy, first: $first, offset: $offset) {
        totalCount edges { node { ...Delivery } }
      }
    } ${deliveryFields}`,
    query: z.object({
      destination_id: databaseId.optional(),
      topic: z.string().optional(),
      status: z.enum(deliveryStatuses).optional(),
      event_id: z.guid('An event has a UUID.').optional(),
      since: instantText.optional(),
    }),
    list: { order: { fields: ['created_at'], byDefault: 'created_at.desc' } },
    variables: ({ query: { destination_id: id, topic, status, event_id: eventId, since }, page }) => ({
      filter: {
        ...(id !== undefined && { destinationId: String(id) }),
        topic,
        status: status?.toUpperCase(),
        eventId,
        since,
      },
      ...page,
    }),
  }),
  route({
    method: 'GET',
    path: '/webhooks/deliveries/{id}',
    name: 'getWebhookDelivery',
    tag,
    summary: 'A delivery with its attempts, and the body as it was sent.',
    document: `query ($id: ID!) { webhookDelivery(id: $id) { ...Delivery payload } } ${deliveryFields}`,
    variables: ({ params }) => ({ id: params.id }),
    reply: one(),
  }),
  route({
    method: 'POST',
    path: '/webhooks/deliveries/{id}/resend',
    name: 'resendWebhookDelivery',
    tag,
    summary: 'Makes one more attempt of a delivery, also of one that arrived.',
    document: `mutation ($input: ResendWebhookDeliveryInput!) {
      resendWebhookDelivery(input: $input) {
        ... on ResendWebhookDeliveryPayload { delivery: webhookDelivery { ...Delivery } } ...Failure
      }
    } ${deliveryFields}`,
    body: json(z.object({})),
    variables: ({ params }) => ({ input: { id: params.id } }),
    refuses: ['CONFLICT'],
    reply: one({ status: 202, at: 'delivery' }),
    example: { body: {} },
  }),
];
