import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const DeadLetterRow = graphql(`
  fragment DeadLetterRow on DeadLetter {
    id
    databaseId
    status
    reason
    source
    triggerHandle
    workflowName
    createdAt
    updatedAt
    viewerCan {
      replay
      discard
    }
  }
`);

export const DeadLetters = graphql(
  `
    query DeadLetters($first: Int, $after: String, $filter: DeadLetterFilter) {
      deadLetters(first: $first, after: $after, filter: $filter) {
        edges {
          node {
            ...DeadLetterRow
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [DeadLetterRow],
);

export const DeadLettersFollowed = graphql(
  `
    subscription DeadLettersFollowed($filter: DeadLetterFilter) {
      deadLettersUpdated(filter: $filter) {
        change
        id
        node {
          ...DeadLetterRow
        }
      }
    }
  `,
  [DeadLetterRow],
);

export const DeadLetterPage = graphql(
  `
    query DeadLetterPage($id: ID!) {
      deadLetter(id: $id) {
        ...DeadLetterRow
        payload
        workflow {
          id
        }
        trigger {
          id
          name
        }
        replayedRun {
          id
          databaseId
        }
      }
    }
  `,
  [DeadLetterRow],
);

export const ReasonsOfDeadLetters = graphql(`
  query ReasonsOfDeadLetters {
    deadLetterSummary(filter: { status: [PENDING] }) {
      total
    }
    errorGroups(first: 12, filter: { kind: DEAD_LETTER, status: [OPEN] }) {
      edges {
        node {
          id
          code
          message
          count
        }
      }
    }
  }
`);

export const ReplayDeadLetter = graphql(
  `
    mutation ReplayDeadLetter($input: ReplayDeadLetterInput!) {
      replayDeadLetter(input: $input) {
        ... on ReplayDeadLetterPayload {
          deadLetter {
            ...DeadLetterRow
          }
          run {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [DeadLetterRow, Refusal],
);

export const DiscardDeadLetter = graphql(
  `
    mutation DiscardDeadLetter($input: DiscardDeadLetterInput!) {
      discardDeadLetter(input: $input) {
        ... on DiscardDeadLetterPayload {
          deadLetter {
            ...DeadLetterRow
          }
        }
        ...Refusal
      }
    }
  `,
  [DeadLetterRow, Refusal],
);

export const ReplayDeadLetters = graphql(
  `
    mutation ReplayDeadLetters($input: ReplayDeadLettersInput!) {
      replayDeadLetters(input: $input) {
        ... on ReplayDeadLettersPayload {
          count
          bulkAction {
            id
          }
          deadLetters {
            id
            databaseId
            workflowName
            reason
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const DiscardDeadLetters = graphql(
  `
    mutation DiscardDeadLetters($input: DiscardDeadLettersInput!) {
      discardDeadLetters(input: $input) {
        ... on DiscardDeadLettersPayload {
          count
          bulkAction {
            id
          }
          deadLetters {
            id
            databaseId
            workflowName
            reason
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);
