import { graphql } from '#console/graph/graphql.ts';

export const AuditLog = graphql(`
  query AuditLog($first: Int, $after: String, $filter: AuditLogFilter) {
    auditLog(first: $first, after: $after, filter: $filter) {
      edges {
        node {
          id
          action
          actor {
            kind
            name
          }
          channel
          createdAt
          metadata
          resourceId
          resourceType
          subject {
            __typename
            id
          }
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
