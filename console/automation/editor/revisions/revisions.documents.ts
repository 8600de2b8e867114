import { graphql } from '#console/graph/graphql.ts';

export const EditorRevisions = graphql(`
  query EditorRevisions($id: ID!, $after: String) {
    workflow(id: $id) {
      id
      revisions(first: 25, after: $after) {
        edges { node { id revision note createdBy createdAt } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

export const EditorRevision = graphql(`
  query EditorRevision($workflowId: ID!, $revision: Int!) {
    workflowRevision(workflowId: $workflowId, revision: $revision) { id revision blob }
  }
`);
