import { z } from 'zod';
import { defineJob } from '#src/infra/jobs.ts';
import { defineTopic } from '#src/journal/outbox/topic.ts';
import { directions } from './transfers.inputs.ts';

export const transferFailed = defineTopic({
  name: 'transfer.failed',
  when: 'when a scheduled import or export cannot fetch or put its files, once until it succeeds again; `error` says why',
  data: z.object({
    id: z.int(),
    direction: z.enum(directions),
    place: z.string(),
    profile: z.string().nullable(),
    error: z.string(),
    last_success_at: z.iso.datetime().nullable(),
  }),
});

/** A transfer stores failures of its server and repeats its run itself. The job retries all other failures. */
export const runTransferJob = defineJob({
  name: 'imports.transfer.run',
  schema: z.object({ tenantId: z.string(), transferId: z.int() }),
  retry: { limit: 2, delay: 5 },
  expireInSeconds: 2 * 3_600,
});
