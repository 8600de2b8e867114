import { mutation, page, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const ExportScheduleRow = graphql(`
  fragment ExportScheduleRow on ExportSchedule {
    id target profile format filter
    account { id name }
    path filename cron timezone active nextRunAt lastRunAt lastSuccessAt lastError failures
    viewerCan { run update delete }
    createdAt updatedAt
  }
`);

export const ExportSchedules = rows('exportSchedules', ExportScheduleRow);

export const ExportSchedulePage = page('exportSchedule', ExportScheduleRow);

export const CreateExportSchedule = mutation('createExportSchedule', 'exportSchedule { id }');

export const UpdateExportSchedule = mutation('updateExportSchedule', 'exportSchedule { ...ExportScheduleRow }', [
  ExportScheduleRow,
]);

export const RunExportSchedule = mutation('runExportSchedule', 'exportSchedule { ...ExportScheduleRow }', [
  ExportScheduleRow,
]);

export const DeleteExportSchedule = mutation('deleteExportSchedule', 'deletedId');
