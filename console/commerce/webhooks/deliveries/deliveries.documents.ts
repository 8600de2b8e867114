import { changes, mutation, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const DeliveryRow = graphql(`
  fragment DeliveryRow on WebhookDelivery {
    id databaseId status topic eventId reason attemptCount lastAttempt { httpCode error } nextAttemptAt createdAt updatedAt
    destination { id name }
    viewerCan { resend }
  }
`);

export const Deliveries = rows('webhookDeliveries', DeliveryRow);

export const DeliveryPage = graphql(
  `
  query DeliveryPage($id: ID!) {
    webhookDelivery(id: $id) {
      ...DeliveryRow payload
      attempts { try at status httpCode durationMs error response }
    }
  }
`,
  [DeliveryRow],
);

/** The changes of all deliveries. */
export const AllDeliveriesFollowed = changes('webhookDeliveriesUpdated', DeliveryRow);

/** The changes of the deliveries to a destination. */
export const DeliveriesFollowed = graphql(`
  subscription DeliveriesFollowed($destinationId: ID!) {
    webhookDeliveryUpdated(destinationId: $destinationId) { id }
  }
`);

export const ResendDelivery = mutation('resendWebhookDelivery', 'webhookDelivery { ...DeliveryRow }', [DeliveryRow]);

export const ResendDeliveries = mutation(
  'resendWebhookDeliveries',
  'count bulkAction { id } webhookDeliveries { id databaseId topic reason }',
);
