import { graphql } from '#console/graph/graphql.ts';

export const RevisionsOfWorkflow = graphql(`
  query RevisionsOfWorkflow($id: ID!, $first: Int, $after: String) {
    workflow(id: $id, includeDeleted: true) {
      id
      revisions(first: $first, after: $after) {
        edges { node { id revision note createdBy createdAt } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

export const RunsOfWorkflow = graphql(`
  query RunsOfWorkflow($id: ID!, $first: Int, $after: String) {
    workflow(id: $id, includeDeleted: true) {
      id
      runs(first: $first, after: $after) {
        edges { node { id databaseId status error createdAt durationMs } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

export const CallersOfWorkflow = graphql(`
  query CallersOfWorkflow($id: ID!, $first: Int, $after: String) {
    workflow(id: $id) {
      id
      usedBy(first: $first, after: $after) {
        edges { node { nodeIds onError workflow { id name } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

export const UpgradesOfWorkflow = graphql(`
  query UpgradesOfWorkflow($id: ID!, $first: Int, $after: String) {
    nodeUpgrades(workflowId: $id, first: $first, after: $after) {
      edges { node { id: path slug version newest state issues { message } } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const DifferenceOfRevisions = graphql(`
  query DifferenceOfRevisions($workflowId: ID!, $from: Int!, $to: Int!) {
    workflowDiff(workflowId: $workflowId, from: $from, to: $to) {
      from to truncated summary
      nodes { added removed changed { id changes { path from to } } }
      edges { added removed }
      settings { path from to }
      state { path from to }
    }
  }
`);

export const BlobOfRevision = graphql(`
  query BlobOfRevision($workflowId: ID!, $revision: Int!) {
    workflowRevision(workflowId: $workflowId, revision: $revision) { id blob }
  }
`);
