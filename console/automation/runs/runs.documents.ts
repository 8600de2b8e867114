import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const RunRow = graphql(`
  fragment RunRow on Run {
    id
    databaseId
    status
    isTest
    workflowName
    triggerType
    startedBy {
      kind
      name
    }
    createdAt
    durationMs
    error
    viewerCan {
      retry
      rerun
      cancel
      resume
    }
  }
`);

export const Runs = graphql(
  `
    query Runs($first: Int, $after: String, $filter: RunFilter, $orderBy: RunOrder) {
      runs(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
        edges {
          node {
            ...RunRow
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [RunRow],
);

export const RunsFollowed = graphql(
  `
    subscription RunsFollowed($filter: RunFilter) {
      runsUpdated(filter: $filter) {
        change
        id
        node {
          ...RunRow
        }
      }
    }
  `,
  [RunRow],
);

export const RetryRun = graphql(
  `
    mutation RetryRun($input: RetryRunInput!) {
      retryRun(input: $input) {
        ... on RetryRunPayload {
          run {
            ...RunRow
          }
          warning
        }
        ...Refusal
      }
    }
  `,
  [RunRow, Refusal],
);

export const RerunRun = graphql(
  `
    mutation RerunRun($input: RerunRunInput!) {
      rerunRun(input: $input) {
        ... on RerunRunPayload {
          run {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const CancelRun = graphql(
  `
    mutation CancelRun($input: CancelRunInput!) {
      cancelRun(input: $input) {
        ... on CancelRunPayload {
          run {
            ...RunRow
          }
        }
        ...Refusal
      }
    }
  `,
  [RunRow, Refusal],
);

export const RetryRuns = graphql(
  `
    mutation RetryRuns($input: RetryRunsInput!) {
      retryRuns(input: $input) {
        ... on RetryRunsPayload {
          count
          bulkAction {
            id
          }
          runs {
            id
            databaseId
            workflowName
            error
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const RerunRuns = graphql(
  `
    mutation RerunRuns($input: RerunRunsInput!) {
      rerunRuns(input: $input) {
        ... on RerunRunsPayload {
          count
          bulkAction {
            id
          }
          runs {
            id
            databaseId
            workflowName
            status
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const CancelRuns = graphql(
  `
    mutation CancelRuns($input: CancelRunsInput!) {
      cancelRuns(input: $input) {
        ... on CancelRunsPayload {
          count
          bulkAction {
            id
          }
          runs {
            id
            databaseId
            workflowName
            status
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);
