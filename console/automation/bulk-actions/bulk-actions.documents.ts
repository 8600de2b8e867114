import { mutation, page, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const BulkActionRow = graphql(`
  fragment BulkActionRow on BulkAction {
    id databaseId kind status total done refused error startedBy createdAt startedAt finishedAt
    viewerCan { cancel continue }
  }
`);

export const BulkActions = rows('bulkActions', BulkActionRow);

export const BulkActionPage = page('bulkAction', BulkActionRow);

export const BulkActionFollowed = graphql(
  `
  subscription BulkActionFollowed($id: ID!) {
    bulkActionUpdated(id: $id) { ...BulkActionRow }
  }
`,
  [BulkActionRow],
);

export const BulkActionRefusals = graphql(`
  query BulkActionRefusals($id: ID!, $first: Int, $after: String) {
    bulkAction(id: $id) {
      id
      refusals(first: $first, after: $after) {
        edges { node { id: itemId code reason } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

export const CancelBulkAction = mutation('cancelBulkAction', 'bulkAction { ...BulkActionRow }', [BulkActionRow]);

export const ContinueBulkAction = mutation('continueBulkAction', 'bulkAction { ...BulkActionRow }', [BulkActionRow]);
