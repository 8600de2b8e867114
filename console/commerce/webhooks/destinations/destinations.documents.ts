import { rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const DestinationRow = graphql(`
  fragment DestinationRow on WebhookDestination {
    id name url status topics signing problem failingSince disabledReason createdAt updatedAt
    viewerCan { delete disable enable ping recover rotateSecret update }
  }
`);

export const Destinations = rows('webhookDestinations', DestinationRow);

export const DestinationPage = graphql(
  `
  query DestinationPage($id: ID!) {
    webhookDestination(id: $id) {
      ...DestinationRow
      backlog { pending held failed unsentSince }
      concurrency filter headerNames ordered ratePerSecond secretRef previousSecretExpiresAt warnedAt
    }
  }
`,
  [DestinationRow],
);

/** Tells that a delivery to the destination changed, and with it what its page counts. */
export const DestinationFollowed = graphql(`
  subscription DestinationFollowed($id: ID!) {
    webhookDeliveryUpdated(destinationId: $id) { id }
  }
`);

export const DestinationStats = graphql(`
  query DestinationStats($id: ID!, $since: DateTime!, $timeZone: String!) {
    deliveryStats(filter: {destinationId: $id, since: $since}, interval: DAY, timeZone: $timeZone) {
      total { total delivered failed held pending attempts }
    }
  }
`);

export const WebhookDeliveryRow = graphql(`
  fragment WebhookDeliveryRow on WebhookDelivery {
    id databaseId status topic reason attemptCount lastAttempt { httpCode error } createdAt
  }
`);

export const DeliveriesOfDestination = rows('webhookDeliveries', WebhookDeliveryRow);
