import { z } from 'zod';
import { defineJob } from '#src/infra/jobs.ts';
import { defineTopic } from '#src/journal/outbox/topic.ts';

export const pollFailed = defineTopic({
  name: 'poll.failed',
  when: 'when a poll trigger has failed three times in a row, once until it succeeds again; `error` says why',
  data: z.object({
    trigger_id: z.int(),
    workflow_id: z.int(),
    name: z.string(),
    error: z.string(),
    failures: z.int(),
    last_success_at: z.iso.datetime().nullable(),
  }),
});

/** A poll stores the failures of its API and repeats itself. The job retries all other failures. */
export const runPollJob = defineJob({
  name: 'automation.poll.run',
  schema: z.object({ tenantId: z.string(), triggerId: z.int() }),
  retry: { limit: 2, delay: 5 },
  expireInSeconds: 2 * 3_600,
});
