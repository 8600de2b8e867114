import { mutation, page, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const ImportScheduleRow = graphql(`
  fragment ImportScheduleRow on ImportSchedule {
    id profile
    account { id name }
    source { id name }
    path pattern cron timezone active afterwards movedTo maxFiles nextRunAt lastRunAt lastSuccessAt lastError
    failures
    viewerCan { run update delete }
    createdAt updatedAt
  }
`);

export const ImportSchedules = rows('importSchedules', ImportScheduleRow);

export const ImportSchedulePage = page('importSchedule', ImportScheduleRow);

export const CreateImportSchedule = mutation('createImportSchedule', 'importSchedule { id }');

export const UpdateImportSchedule = mutation('updateImportSchedule', 'importSchedule { ...ImportScheduleRow }', [
  ImportScheduleRow,
]);

export const RunImportSchedule = mutation('runImportSchedule', 'importSchedule { ...ImportScheduleRow }', [
  ImportScheduleRow,
]);

export const DeleteImportSchedule = mutation('deleteImportSchedule', 'deletedId');
