import { addAbortSignal } from 'node:stream';
import { z } from 'zod';
import type { RunnableNode } from '#src/automation/node-api/builtin-node.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { bulkJobData } from '#src/imports/bulk-jobs/bulk-jobs.declarations.ts';
import { hasEnded } from '#src/imports/bulk-jobs/bulk-jobs.rules.ts';
import { findResult } from '#src/imports/exports/export-results.service.ts';
import { startExportOnce } from '#src/imports/exports/export-start.service.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import { ConflictError, NotFoundError } from '#src/infra/errors.ts';
import { databaseId, defineNode, text } from './commerce-node.ts';

export const exportNodes = (imports: () => ImportDeps): RunnableNode[] => [
  defineNode({
    name: 'start-export',
    config: z.object({
      target: text.nullish(),
      format: text.nullish(),
      profile: text.nullish(),
      filter: z.record(z.string(), text).nullish(),
    }),
    execute: async (given, { ports, idempotencyKey }) => ({
      job: bulkJobData(await startExportOnce(imports(), ports.tenant.actor(), { ...given, idempotencyKey })),
    }),
  }),
  defineNode({
    name: 'get-export-file',
    config: z.object({ export_id: databaseId }),
    uses: ['files'],
    async execute({ export_id: id }, { ports, signal }) {
      const tenantId = ports.tenant.id();
      const job = await imports()
        .database.reader(tenantId)
        .bulkJob.findUnique({ where: { tenantId_id: { tenantId, id } } });
      if (job?.kind !== 'export') throw new NotFoundError(`There is no export ${id}.`);
      if (!hasEnded(job.status))
        throw new NodeError('CONFLICT', `Export ${id} is ${job.status}. Its file is there after export.completed.`, {
          retryable: true,
        });
      if (job.status !== 'completed')
        throw new ConflictError(`Export ${id} is ${job.status}, so it has no file. ${job.error ?? ''}`.trim());
      const { name, mediaType: type, content } = await findResult(imports(), tenantId, id);
      const file = await ports.files.create({ name, type }, addAbortSignal(signal, content));
      return { file, job: bulkJobData(job) };
    },
  }),
];
