import { mutation, page, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const FailedJobRow = graphql(`
  fragment FailedJobRow on FailedJob {
    id job error attempts payload failedAt
    viewerCan { discard retry }
  }
`);

export const FailedJobs = rows('failedJobs', FailedJobRow);

export const FailedJobFacts = graphql(
  `
  fragment FailedJobFacts on FailedJob {
    ...FailedJobRow
    jobId sentAt
  }
`,
  [FailedJobRow],
);

export const FailedJobPage = page('node', FailedJobFacts);

export const RetryFailedJob = mutation('retryFailedJob', 'failedJob { id }');

export const DiscardFailedJob = mutation('discardFailedJob', 'failedJob { id }');

export const RetryFailedJobs = mutation('retryFailedJobs', 'count bulkAction { id } failedJobs { id job error }');
