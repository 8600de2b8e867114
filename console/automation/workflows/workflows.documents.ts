import { graphql } from '#console/graph/graphql.ts';

export const WorkflowRow = graphql(`
  fragment WorkflowRow on Workflow {
    id
    databaseId
    name
    description
    active
    revision
    createdAt
    updatedAt
    bundle {
      status
      error
      revision
      builtAt
    }
    triggers {
      id
      type
    }
    viewerCan {
      build
      createTrigger
      delete
      discardDraft
      fire
      publish
      restore
      update
      upgradeNodes
    }
  }
`);

export const Workflows = graphql(
  `
    query Workflows($first: Int, $after: String, $filter: WorkflowFilter, $orderBy: WorkflowOrder) {
      workflows(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
        edges {
          node {
            ...WorkflowRow
            runs(first: 1) {
              edges {
                node {
                  id
                  status
                  createdAt
                }
              }
            }
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [WorkflowRow],
);

export const WorkflowPage = graphql(
  `
    query WorkflowPage($id: ID!) {
      workflow(id: $id, includeDeleted: true) {
        ...WorkflowRow
        deletedAt
        nodes {
          nodeId
          path
        }
        edges {
          from
          to
          branch
          triggerHandle
          trigger {
            name
          }
        }
        draft {
          version
          baseRevision
          isBehind
          savedAt
          savedBy
          validation {
            valid
            errors {
              path
              messages
            }
            warnings {
              path
              messages
            }
          }
        }
        triggers {
          id
          name
          handle
          type
          active
          url
          schedule {
            cron
            timezone
            nextFireAt
          }
        }
        credentials {
          nodeId
          field
          credentialTypeSlug
          credential {
            id
            name
          }
        }
      }
    }
  `,
  [WorkflowRow],
);
