import { graphql } from '#console/graph/graphql.ts';
import { RunRow } from './runs.documents.ts';

export const RunPage = graphql(
  `
    query RunPage($id: ID!) {
      run(id: $id) {
        ...RunRow
        revision
        startedAt
        completedAt
        payload
        result
        workflow {
          id
        }
        trigger {
          id
          name
        }
        parent {
          id
          databaseId
        }
        retryOf {
          id
          databaseId
        }
      }
    }
  `,
  [RunRow],
);

export const RunFollowed = graphql(
  `
    subscription RunFollowed($id: ID!) {
      runUpdated(id: $id) {
        ...RunRow
        startedAt
        completedAt
        result
      }
    }
  `,
  [RunRow],
);
