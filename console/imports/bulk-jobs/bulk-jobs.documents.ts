import { changes, mutation, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const BulkJobRow = graphql(`
  fragment BulkJobRow on BulkJob {
    id databaseId kind target profile dryRun status progress rowsRead rowsWritten rowsUnchanged rowsRejected
    error createdAt startedAt finishedAt
    viewerCan { cancel }
  }
`);

export const BulkJobFiles = graphql(`
  fragment BulkJobFiles on BulkJob {
    rejectsUrl downloadUrl
  }
`);

export const BulkJobs = rows('bulkJobs', BulkJobRow);

export const BulkJobsFollowed = changes('bulkJobsUpdated', BulkJobRow);

export const BulkJobPage = graphql(
  `
  query BulkJobPage($id: ID!) {
    bulkJob(id: $id) { ...BulkJobRow ...BulkJobFiles }
  }
`,
  [BulkJobRow, BulkJobFiles],
);

export const BulkJobFollowed = graphql(
  `
  subscription BulkJobFollowed($id: ID!) {
    bulkJobUpdated(id: $id) { ...BulkJobRow ...BulkJobFiles }
  }
`,
  [BulkJobRow, BulkJobFiles],
);

export const CancelBulkJob = mutation('cancelBulkJob', 'bulkJob { ...BulkJobRow }', [BulkJobRow]);

export const StartExport = mutation('startExport', 'bulkJob { id }');
