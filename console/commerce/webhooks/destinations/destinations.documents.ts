import { graphql } from '#console/graph/graphql.ts';

export const DestinationRow = graphql(`
  fragment DestinationRow on WebhookDestination {
    id
    name
    url
    status
    topics
    signing
    problem
    failingSince
    disabledReason
    createdAt
    updatedAt
    viewerCan {
      delete
      disable
      enable
      ping
      recover
      rotateSecret
      update
    }
  }
`);

export const Destinations = graphql(
  `
    query Destinations($first: Int, $after: String, $orderBy: WebhookDestinationOrder) {
      webhookDestinations(first: $first, after: $after, orderBy: $orderBy) {
        edges {
          node {
            ...DestinationRow
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [DestinationRow],
);

export const DestinationPage = graphql(
  `
    query DestinationPage($id: ID!) {
      webhookDestination(id: $id) {
        ...DestinationRow
        backlog {
          pending
          held
          failed
        }
        concurrency
        filter
        headerNames
        ordered
        ratePerSecond
        secretRef
        previousSecretExpiresAt
        warnedAt
      }
    }
  `,
  [DestinationRow],
);

export const DestinationStats = graphql(`
  query DestinationStats($id: ID!, $since: DateTime!, $timeZone: String!) {
    deliveryStats(filter: { destinationId: $id, since: $since }, interval: DAY, timeZone: $timeZone) {
      total {
        total
        delivered
        failed
        held
        pending
        attempts
      }
    }
  }
`);

export const DeliveriesOfDestination = graphql(`
  query DeliveriesOfDestination($first: Int, $after: String, $filter: WebhookDeliveryFilter) {
    webhookDeliveries(first: $first, after: $after, filter: $filter) {
      edges {
        node {
          id
          databaseId
          status
          topic
          reason
          createdAt
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
