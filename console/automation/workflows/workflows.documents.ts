import { rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const WorkflowRow = graphql(`
  fragment WorkflowRow on Workflow {
    id databaseId name description active revision createdAt updatedAt
    bundle { status error revision builtAt }
    triggers { id name handle type active }
    viewerCan { build createTrigger delete discardDraft fire publish restore update upgradeNodes }
  }
`);

export const WorkflowsRow = graphql(
  `
  fragment WorkflowsRow on Workflow {
    ...WorkflowRow
    runs(first: 1) { edges { node { id status createdAt } } }
  }
`,
  [WorkflowRow],
);

export const Workflows = rows('workflows', WorkflowsRow);

export const WorkflowPage = graphql(
  `
  query WorkflowPage($id: ID!) {
    workflow(id: $id, includeDeleted: true) {
      ...WorkflowRow deletedAt
      nodes { nodeId path }
      edges { from to branch triggerHandle trigger { name } }
      draft {
        version baseRevision isBehind savedAt savedBy
        validation { valid errors { path messages } warnings { path messages } }
      }
      triggers { id name handle type active url schedule { cron timezone nextFireAt } }
      credentials { nodeId field credentialTypeSlug credential { id name } }
    }
  }
`,
  [WorkflowRow],
);
