import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const TriggerRow = graphql(`
  fragment TriggerRow on Trigger {
    id
    databaseId
    name
    handle
    type
    active
    url
    createdAt
    updatedAt
    workflow {
      id
      name
    }
    viewerCan {
      update
      delete
      fire
    }
  }
`);

/** Pages of workflows with their triggers, which are listed one by one. */
export const TriggersByWorkflow = graphql(
  `
    query TriggersByWorkflow($first: Int, $after: String, $filter: WorkflowFilter, $orderBy: WorkflowOrder) {
      workflows(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
        edges {
          node {
            id
            triggers {
              ...TriggerRow
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
  [TriggerRow],
);

export const TriggerPage = graphql(
  `
    query TriggerPage($id: ID!) {
      trigger(id: $id) {
        ...TriggerRow
        config
        schedule {
          id
          cron
          timezone
          misfire
          nextFireAt
          lastFiredAt
          lastRun {
            id
            databaseId
          }
        }
      }
    }
  `,
  [TriggerRow],
);

export const CreateTrigger = graphql(
  `
    mutation CreateTrigger($input: CreateTriggerInput!) {
      createTrigger(input: $input) {
        ... on CreateTriggerPayload {
          trigger {
            ...TriggerRow
          }
        }
        ...Refusal
      }
    }
  `,
  [TriggerRow, Refusal],
);

export const UpdateTrigger = graphql(
  `
    mutation UpdateTrigger($input: UpdateTriggerInput!) {
      updateTrigger(input: $input) {
        ... on UpdateTriggerPayload {
          trigger {
            ...TriggerRow
            config
          }
        }
        ...Refusal
      }
    }
  `,
  [TriggerRow, Refusal],
);

export const DeleteTrigger = graphql(
  `
    mutation DeleteTrigger($input: DeleteTriggerInput!) {
      deleteTrigger(input: $input) {
        ... on DeleteTriggerPayload {
          deletedId
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const FireTrigger = graphql(
  `
    mutation FireTrigger($input: StartRunInput!) {
      startRun(input: $input) {
        ... on StartRunPayload {
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
