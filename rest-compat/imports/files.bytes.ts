import type { Readable } from 'node:stream';
import type { BodyReader } from '#rest/bodies.ts';
import { byteRoute } from '#rest/route.ts';
import { streamRejects } from '#src/imports/bulk-jobs/rejects.service.ts';
import { findResult } from '#src/imports/exports/export-results.service.ts';
import { receiveUpload } from '#src/imports/uploads/uploads.service.ts';
import { importTag as tag } from './import-parts.ts';

/** The body as a stream; its service limits it. */
const file: BodyReader<Readable> = {
  takes: 'stream',
  read: async (stream) => stream,
  content: () => ({ '*/*': { schema: { type: 'string', format: 'binary' } } }),
};

export const importFileRoutes = [
  byteRoute({
    method: 'PUT',
    // `uploadLinks` signs this path.
    path: '/io/uploads/{tenant}/{upload}',
    name: 'sendUpload',
    tag,
    summary: 'Takes the file of an upload, by its signed address, once.',
    access: { link: ({ tenant, upload }, query, { imports }) => imports.uploadLinks.verify(tenant, upload, query) },
    body: file,
    refuses: ['CONFLICT', 'VALIDATION_FAILED', 'PAYLOAD_TOO_LARGE', 'UNAVAILABLE'],
    answers: { status: 204, description: 'The file is stored.' },
    async answer({ params: { tenant, upload }, headers, body }, { imports }) {
      const length = Number(headers['content-length'] ?? Number.NaN);
      const type = headers['content-type']?.toString();
      const sent = { body, type, length: Number.isSafeInteger(length) ? length : null };
      await receiveUpload(imports, { tenantId: tenant, id: Number(upload) }, sent);
      return {};
    },
  }),
  byteRoute({
    method: 'GET',
    // `rejectLinks` signs this path.
    path: '/io/rejects/{tenant}/{job}',
    name: 'getRejects',
    tag,
    summary: 'What a job rejected, as CSV, by a signed address.',
    access: { link: ({ tenant, job }, query, { imports }) => imports.rejectLinks.verify(tenant, job, query) },
    answers: {
      status: 200,
      description: 'One line for each fault, in the order of the file.',
      content: { 'text/csv': { schema: { type: 'string' } } },
    },
    answer: async ({ params: { tenant, job } }, { imports }) => ({
      type: 'text/csv; charset=utf-8',
      headers: {
        'content-disposition': `attachment; filename="rejects-${job}.csv"`,
        'cache-control': 'private, no-store',
      },
      content: streamRejects(imports, tenant, Number(job)),
    }),
  }),
  byteRoute({
    method: 'GET',
    // `exportLinks` signs this path.
    path: '/io/exports/{tenant}/{job}',
    name: 'getExport',
    tag,
    summary: 'The file of an export, by a signed address.',
    access: { link: ({ tenant, job }, query, { imports }) => imports.exportLinks.verify(tenant, job, query) },
    refuses: ['GONE'],
    answers: {
      status: 200,
      description: 'The file.',
      content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
    },
    async answer({ params: { tenant, job } }, { imports }) {
      const { name, mediaType, content } = await findResult(imports, tenant, BigInt(job));
      return {
        type: mediaType,
        headers: { 'content-disposition': `attachment; filename="${name}"`, 'cache-control': 'private, no-store' },
        content,
      };
    },
  }),
];
