import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const BulkActionRow = graphql(`
  fragment BulkActionRow on BulkAction {
    id
    databaseId
    kind
    status
    total
    done
    refused
    error
    startedBy
    createdAt
    startedAt
    finishedAt
    viewerCan {
      cancel
      continue
    }
  }
`);

export const BulkActions = graphql(
  `
    query BulkActions($first: Int, $after: String) {
      bulkActions(first: $first, after: $after) {
        edges {
          node {
            ...BulkActionRow
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [BulkActionRow],
);

export const BulkActionPage = graphql(
  `
    query BulkActionPage($id: ID!) {
      bulkAction(id: $id) {
        ...BulkActionRow
      }
    }
  `,
  [BulkActionRow],
);

export const BulkActionFollowed = graphql(
  `
    subscription BulkActionFollowed($id: ID!) {
      bulkActionUpdated(id: $id) {
        ...BulkActionRow
      }
    }
  `,
  [BulkActionRow],
);

export const BulkActionRefusals = graphql(`
  query BulkActionRefusals($id: ID!, $first: Int, $after: String) {
    bulkAction(id: $id) {
      id
      refusals(first: $first, after: $after) {
        edges {
          node {
            id: itemId
            code
            reason
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`);

export const CancelBulkAction = graphql(
  `
    mutation CancelBulkAction($input: CancelBulkActionInput!) {
      cancelBulkAction(input: $input) {
        ... on CancelBulkActionPayload {
          bulkAction {
            ...BulkActionRow
          }
        }
        ...Refusal
      }
    }
  `,
  [BulkActionRow, Refusal],
);

export const ContinueBulkAction = graphql(
  `
    mutation ContinueBulkAction($input: ContinueBulkActionInput!) {
      continueBulkAction(input: $input) {
        ... on ContinueBulkActionPayload {
          bulkAction {
            ...BulkActionRow
          }
        }
        ...Refusal
      }
    }
  `,
  [BulkActionRow, Refusal],
);
