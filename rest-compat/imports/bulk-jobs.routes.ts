import { inputBody } from '#rest/bodies.ts';
import { one } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import { startImportInput } from '#src/imports/bulk-jobs/bulk-jobs.inputs.ts';
import { startExportInput } from '#src/imports/exports/exports.inputs.ts';
import { importTag as tag, uploadId } from './import-parts.ts';

const jobFields = `fragment Job on BulkJob {
  id: databaseId kind target profile status rows_read: rowsRead rows_written: rowsWritten rows_unchanged: rowsUnchanged
  rows_rejected: rowsRejected progress rejects_url: rejectsUrl download_url: downloadUrl error dry_run: dryRun created_at: createdAt
  started_at: startedAt finished_at: finishedAt
}`;

export const bulkJobRoutes = [
  route({
    method: 'POST',
    path: '/io/imports',
    name: 'startImport',
    tag,
    summary: 'Imports an uploaded file by a profile, as a job. The same upload again answers the same job.',
    document: `mutation ($input: StartImportInput!) {
      startImport(input: $input) { ... on StartImportPayload { bulkJob { ...Job } } ...Failure }
    } ${jobFields}`,
    body: inputBody(startImportInput.extend({ uploadId })),
    variables: ({ body }) => ({ input: { ...body } }),
    refuses: ['CONFLICT'],
    reply: one({ status: 202, at: 'bulkJob' }),
    example: { body: { upload_id: 1, profile: 'Warehouse stock', dry_run: false } },
  }),
  route({
    method: 'POST',
    path: '/io/exports',
    name: 'startExport',
    tag,
    summary: 'Writes records to a file, as a job.',
    document: `mutation ($input: StartExportInput!) {
      startExport(input: $input) { ... on StartExportPayload { bulkJob { ...Job } } ...Failure }
    } ${jobFields}`,
    body: inputBody(startExportInput),
    variables: ({ body }) => ({ input: body }),
    reply: one({ status: 202, at: 'bulkJob' }),
    example: { body: { target: 'stock', format: 'csv', filter: { location: 'main' } } },
  }),
  route({
    method: 'GET',
    path: '/io/bulk-jobs',
    name: 'listBulkJobs',
    tag,
    summary: 'The bulk jobs of the tenant.',
    document: `query ($orderBy: BulkJobOrder, $first: Int, $offset: Int) {
      bulkJobs(orderBy: $orderBy, first: $first, offset: $offset) { totalCount edges { node { ...Job } } }
    } ${jobFields}`,
    list: { order: { fields: ['created_at'], byDefault: 'created_at.desc' } },
    variables: ({ page }) => ({ ...page }),
  }),
  route({
    method: 'GET',
    path: '/io/bulk-jobs/{id}',
    name: 'getBulkJob',
    tag,
    summary: 'How far a bulk job is.',
    document: `query ($id: ID!) { bulkJob(id: $id) { ...Job } } ${jobFields}`,
    variables: ({ params }) => ({ id: params.id }),
    reply: one(),
  }),
  route({
    method: 'POST',
    path: '/io/bulk-jobs/{id}/cancel',
    name: 'cancelBulkJob',
    tag,
    summary: 'Cancels a job; what was merged stays and is counted.',
    document: `mutation ($input: CancelBulkJobInput!) {
      cancelBulkJob(input: $input) { ... on CancelBulkJobPayload { bulkJob { ...Job } } ...Failure }
    } ${jobFields}`,
    variables: ({ params }) => ({ input: { id: params.id } }),
    refuses: ['CONFLICT'],
    reply: one({ status: 202, at: 'bulkJob' }),
  }),
];
