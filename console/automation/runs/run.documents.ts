import { graphql } from '#console/graph/graphql.ts';
import { RunRow } from './runs.documents.ts';

export const RunProgress = graphql(`
  fragment RunProgress on Run {
    status startedAt completedAt result
    stepCounts { nodePath total branches byStatus { running waiting succeeded failed skipped } }
  }
`);

export const RunPage = graphql(
  `
  query RunPage($id: ID!) {
    run(id: $id) {
      ...RunRow ...RunProgress revision payload
      workflow { id }
      workflowRevision {
        id
        nodes { nodeId path slug }
        edges { from to branch triggerHandle trigger { id name } }
      }
      triggerHandle
      trigger { id name }
      parent { id databaseId }
      retryOf { id databaseId }
      order { id number }
      traceId requestId
      notable: stepConnection(last: 1, filter: {status: [FAILED, WAITING]}) { edges { node { id } } }
    }
  }
`,
  [RunRow, RunProgress],
);

/** The blob that a test run executes, with the names of the triggers in it. */
export const TestedBlob = graphql(`
  query TestedBlob($id: ID!) {
    run(id: $id) {
      id blob
      workflow { id triggers { id handle name } }
    }
  }
`);

export const RunFollowed = graphql(
  `
  subscription RunFollowed($id: ID!) {
    runUpdated(id: $id) { ...RunRow ...RunProgress }
  }
`,
  [RunRow, RunProgress],
);

/** Tells that a run which has ended was started again; the filter leaves only its instant. */
export const RunRevived = graphql(
  `
  subscription RunRevived($filter: RunFilter!) {
    runUpdated(filter: $filter) { ...RunRow }
  }
`,
  [RunRow],
);

export const RunChildren = graphql(
  `
  query RunChildren($id: ID!, $first: Int, $after: String) {
    run(id: $id) {
      id
      children(first: $first, after: $after) {
        edges { node { ...RunRow } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`,
  [RunRow],
);

export const RunReruns = graphql(
  `
  query RunReruns($id: ID!, $first: Int, $after: String) {
    run(id: $id) {
      id
      reruns(first: $first, after: $after) { edges { node { ...RunRow } } pageInfo { hasNextPage endCursor } }
    }
  }
`,
  [RunRow],
);
