import { z } from 'zod';
import type { RunnableNode } from '#src/automation/node-api/builtin-node.ts';
import { fileReference } from '#src/automation/node-api/file-reference.ts';
import { bulkJobData } from '#src/imports/bulk-jobs/bulk-jobs.declarations.ts';
import { importStoredFile } from '#src/imports/bulk-jobs/import-stored-file.service.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import { objectKey } from '#src/infra/storage/storage.ts';
import { defineNode, text } from './commerce-node.ts';

export const importNodes = (imports: () => ImportDeps): RunnableNode[] => [
  defineNode({
    name: 'start-import',
    config: z.object({ file: fileReference, profile: text, dry_run: z.boolean().nullish() }),
    uses: ['files'],
    async execute({ file: reference, profile, dry_run: dryRun }, { ports, idempotencyKey }) {
      const actor = ports.tenant.actor();
      const { name, type, size, sha256 } = await ports.files.open(reference);
      const file = { name, type, size, storageKey: objectKey(sha256) };
      const job = await importStoredFile(imports(), actor, { file, profile, dryRun: dryRun === true, idempotencyKey });
      return { job: bulkJobData(job) };
    },
  }),
];
