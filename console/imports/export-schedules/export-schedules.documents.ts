import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const ExportScheduleRow = graphql(`
  fragment ExportScheduleRow on ExportSchedule {
    id
    target
    profile
    format
    filter
    account {
      id
      name
    }
    path
    filename
    cron
    timezone
    active
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

export const ExportSchedules = graphql(
  `
    query ExportSchedules($first: Int, $after: String, $orderBy: ExportScheduleOrder) {
      exportSchedules(first: $first, after: $after, orderBy: $orderBy) {
        edges {
          node {
            ...ExportScheduleRow
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [ExportScheduleRow],
);

export const ExportSchedulePage = graphql(
  `
    query ExportSchedulePage($id: ID!) {
      exportSchedule(id: $id) {
        ...ExportScheduleRow
      }
    }
  `,
  [ExportScheduleRow],
);

export const CreateExportSchedule = graphql(
  `
    mutation CreateExportSchedule($input: CreateExportScheduleInput!) {
      createExportSchedule(input: $input) {
        ... on CreateExportSchedulePayload {
          exportSchedule {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const UpdateExportSchedule = graphql(
  `
    mutation UpdateExportSchedule($input: UpdateExportScheduleInput!) {
      updateExportSchedule(input: $input) {
        ... on UpdateExportSchedulePayload {
          exportSchedule {
            ...ExportScheduleRow
          }
        }
        ...Refusal
      }
    }
  `,
  [ExportScheduleRow, Refusal],
);

export const RunExportSchedule = graphql(
  `
    mutation RunExportSchedule($input: RunExportScheduleInput!) {
      runExportSchedule(input: $input) {
        ... on RunExportSchedulePayload {
          exportSchedule {
            ...ExportScheduleRow
          }
        }
        ...Refusal
      }
    }
  `,
  [ExportScheduleRow, Refusal],
);

export const DeleteExportSchedule = graphql(
  `
    mutation DeleteExportSchedule($input: DeleteExportScheduleInput!) {
      deleteExportSchedule(input: $input) {
        ... on DeleteExportSchedulePayload {
          deletedId
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);
