import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const DeliveryRow = graphql(`
  fragment DeliveryRow on WebhookDelivery {
    id
    databaseId
    status
    topic
    eventId
    reason
    nextAttemptAt
    createdAt
    updatedAt
    destination {
      id
      name
    }
    viewerCan {
      resend
    }
  }
`);

export const Deliveries = graphql(
  `
    query Deliveries($first: Int, $after: String, $filter: WebhookDeliveryFilter, $orderBy: WebhookDeliveryOrder) {
      webhookDeliveries(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
        edges {
          node {
            ...DeliveryRow
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [DeliveryRow],
);

export const DeliveryPage = graphql(
  `
    query DeliveryPage($id: ID!) {
      webhookDelivery(id: $id) {
        ...DeliveryRow
        payload
        attempts {
          try
          at
          status
          httpCode
          durationMs
          error
          response
        }
      }
    }
  `,
  [DeliveryRow],
);

export const ResendDelivery = graphql(
  `
    mutation ResendDelivery($input: ResendWebhookDeliveryInput!) {
      resendWebhookDelivery(input: $input) {
        ... on ResendWebhookDeliveryPayload {
          webhookDelivery {
            ...DeliveryRow
          }
        }
        ...Refusal
      }
    }
  `,
  [DeliveryRow, Refusal],
);

export const ResendDeliveries = graphql(
  `
    mutation ResendDeliveries($input: ResendWebhookDeliveriesInput!) {
      resendWebhookDeliveries(input: $input) {
        ... on ResendWebhookDeliveriesPayload {
          count
          bulkAction {
            id
          }
          webhookDeliveries {
            id
            databaseId
            topic
            reason
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);
