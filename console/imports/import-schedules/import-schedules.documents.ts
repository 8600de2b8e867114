import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const ImportScheduleRow = graphql(`
  fragment ImportScheduleRow on ImportSchedule {
    id
    profile
    account {
      id
      name
    }
    source {
      id
      name
    }
    path
    pattern
    cron
    timezone
    active
    afterwards
    movedTo
    maxFiles
    nextRunAt
    lastRunAt
    lastSuccessAt
    lastError
    failures
    viewerCan {
      run
      update
      delete
    }
    createdAt
    updatedAt
  }
`);

export const ImportSchedules = graphql(
  `
    query ImportSchedules($first: Int, $after: String, $orderBy: ImportScheduleOrder) {
      importSchedules(first: $first, after: $after, orderBy: $orderBy) {
        edges {
          node {
            ...ImportScheduleRow
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [ImportScheduleRow],
);

export const ImportSchedulePage = graphql(
  `
    query ImportSchedulePage($id: ID!) {
      importSchedule(id: $id) {
        ...ImportScheduleRow
      }
    }
  `,
  [ImportScheduleRow],
);

export const CreateImportSchedule = graphql(
  `
    mutation CreateImportSchedule($input: CreateImportScheduleInput!) {
      createImportSchedule(input: $input) {
        ... on CreateImportSchedulePayload {
          importSchedule {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const UpdateImportSchedule = graphql(
  `
    mutation UpdateImportSchedule($input: UpdateImportScheduleInput!) {
      updateImportSchedule(input: $input) {
        ... on UpdateImportSchedulePayload {
          importSchedule {
            ...ImportScheduleRow
          }
        }
        ...Refusal
      }
    }
  `,
  [ImportScheduleRow, Refusal],
);

export const RunImportSchedule = graphql(
  `
    mutation RunImportSchedule($input: RunImportScheduleInput!) {
      runImportSchedule(input: $input) {
        ... on RunImportSchedulePayload {
          importSchedule {
            ...ImportScheduleRow
          }
        }
        ...Refusal
      }
    }
  `,
  [ImportScheduleRow, Refusal],
);

export const DeleteImportSchedule = graphql(
  `
    mutation DeleteImportSchedule($input: DeleteImportScheduleInput!) {
      deleteImportSchedule(input: $input) {
        ... on DeleteImportSchedulePayload {
          deletedId
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);
