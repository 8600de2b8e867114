import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const BulkJobRow = graphql(`
  fragment BulkJobRow on BulkJob {
    id
    databaseId
    kind
    target
    profile
    dryRun
    status
    progress
    rowsRead
    rowsWritten
    rowsUnchanged
    rowsRejected
    error
    createdAt
    startedAt
    finishedAt
    viewerCan {
      cancel
    }
  }
`);

export const BulkJobFiles = graphql(`
  fragment BulkJobFiles on BulkJob {
    rejectsUrl
    downloadUrl
  }
`);

export const BulkJobs = graphql(
  `
    query BulkJobs($first: Int, $after: String, $orderBy: BulkJobOrder) {
      bulkJobs(first: $first, after: $after, orderBy: $orderBy) {
        edges {
          node {
            ...BulkJobRow
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [BulkJobRow],
);

export const BulkJobsFollowed = graphql(
  `
    subscription BulkJobsFollowed {
      bulkJobsUpdated {
        change
        id
        node {
          ...BulkJobRow
        }
      }
    }
  `,
  [BulkJobRow],
);

export const BulkJobPage = graphql(
  `
    query BulkJobPage($id: ID!) {
      bulkJob(id: $id) {
        ...BulkJobRow
        ...BulkJobFiles
      }
    }
  `,
  [BulkJobRow, BulkJobFiles],
);

export const BulkJobFollowed = graphql(
  `
    subscription BulkJobFollowed($id: ID!) {
      bulkJobUpdated(id: $id) {
        ...BulkJobRow
        ...BulkJobFiles
      }
    }
  `,
  [BulkJobRow, BulkJobFiles],
);

export const CancelBulkJob = graphql(
  `
    mutation CancelBulkJob($input: CancelBulkJobInput!) {
      cancelBulkJob(input: $input) {
        ... on CancelBulkJobPayload {
          bulkJob {
            ...BulkJobRow
          }
        }
        ...Refusal
      }
    }
  `,
  [BulkJobRow, Refusal],
);

export const StartExport = graphql(
  `
    mutation StartExport($input: StartExportInput!) {
      startExport(input: $input) {
        ... on StartExportPayload {
          bulkJob {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);
