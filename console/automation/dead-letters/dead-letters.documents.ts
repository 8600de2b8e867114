import { changes, mutation, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const DeadLetterRow = graphql(`
  fragment DeadLetterRow on DeadLetter {
    id databaseId status reason source workflowName createdAt updatedAt
    workflow { id }
    trigger { id name }
    viewerCan { replay discard }
  }
`);

export const DeadLetters = rows('deadLetters', DeadLetterRow);

export const DeadLettersFollowed = changes('deadLettersUpdated', DeadLetterRow);

export const DeadLetterPage = graphql(
  `
  query DeadLetterPage($id: ID!) {
    deadLetter(id: $id) {
      ...DeadLetterRow payload
      replayedRun { id databaseId }
    }
  }
`,
  [DeadLetterRow],
);

export const ReasonsOfDeadLetters = graphql(`
  query ReasonsOfDeadLetters {
    deadLetterSummary(filter: {status: [PENDING]}) { total }
    errorGroups(first: 12, filter: {kind: DEAD_LETTER, status: [OPEN]}) {
      edges { node { id code message count } }
    }
  }
`);

export const ReplayDeadLetter = mutation('replayDeadLetter', 'deadLetter { ...DeadLetterRow } run { id }', [
  DeadLetterRow,
]);

export const DiscardDeadLetter = mutation('discardDeadLetter', 'deadLetter { ...DeadLetterRow }', [DeadLetterRow]);

export const ReplayDeadLetters = mutation(
  'replayDeadLetters',
  'count bulkAction { id } deadLetters { id databaseId workflowName reason }',
);

export const DiscardDeadLetters = mutation(
  'discardDeadLetters',
  'count bulkAction { id } deadLetters { id databaseId workflowName reason }',
);
