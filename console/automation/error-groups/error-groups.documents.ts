import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const ErrorGroupRow = graphql(`
  fragment ErrorGroupRow on ErrorGroup {
    id
    groupId
    kind
    status
    code
    message
    node
    count
    assignee
    firstAt
    lastAt
    mutedUntil
    reopenedAt
    viewerCan {
      assign
      mute
      resolve
      reopen
    }
  }
`);

export const ErrorGroups = graphql(
  `
    query ErrorGroups($first: Int, $after: String, $filter: ErrorGroupFilter) {
      errorGroups(first: $first, after: $after, filter: $filter) {
        edges {
          node {
            ...ErrorGroupRow
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [ErrorGroupRow],
);

export const ErrorGroupPage = graphql(
  `
    query ErrorGroupPage($id: ID!) {
      errorGroup(id: $id) {
        ...ErrorGroupRow
        workflows {
          count
          workflow {
            id
            name
          }
        }
        sampleRun {
          id
          databaseId
          createdAt
        }
        sampleDeadLetter {
          id
          databaseId
          createdAt
        }
        sampleWebhookDelivery {
          id
          databaseId
          createdAt
        }
      }
    }
  `,
  [ErrorGroupRow],
);

export const AssignErrorGroup = graphql(
  `
    mutation AssignErrorGroup($input: AssignErrorGroupInput!) {
      assignErrorGroup(input: $input) {
        ... on AssignErrorGroupPayload {
          errorGroup {
            ...ErrorGroupRow
          }
        }
        ...Refusal
      }
    }
  `,
  [ErrorGroupRow, Refusal],
);

export const MuteErrorGroup = graphql(
  `
    mutation MuteErrorGroup($input: MuteErrorGroupInput!) {
      muteErrorGroup(input: $input) {
        ... on MuteErrorGroupPayload {
          errorGroup {
            ...ErrorGroupRow
          }
        }
        ...Refusal
      }
    }
  `,
  [ErrorGroupRow, Refusal],
);

export const ResolveErrorGroup = graphql(
  `
    mutation ResolveErrorGroup($input: ResolveErrorGroupInput!) {
      resolveErrorGroup(input: $input) {
        ... on ResolveErrorGroupPayload {
          errorGroup {
            ...ErrorGroupRow
          }
        }
        ...Refusal
      }
    }
  `,
  [ErrorGroupRow, Refusal],
);

export const ReopenErrorGroup = graphql(
  `
    mutation ReopenErrorGroup($input: ReopenErrorGroupInput!) {
      reopenErrorGroup(input: $input) {
        ... on ReopenErrorGroupPayload {
          errorGroup {
            ...ErrorGroupRow
          }
        }
        ...Refusal
      }
    }
  `,
  [ErrorGroupRow, Refusal],
);

export const ViewerId = graphql(`
  query ViewerId {
    me {
      user {
        id
      }
    }
  }
`);
