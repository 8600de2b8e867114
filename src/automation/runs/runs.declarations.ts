import { z } from 'zod';
import { defineJob } from '#src/infra/jobs.ts';
import { defineAudited } from '#src/journal/audit/audited.ts';
import { defineTopic } from '#src/journal/outbox/topic.ts';

export const auditedRun = defineAudited({
  type: 'workflow_run',
  node: 'Run',
  actions: ['run.started', 'run.finished', 'run.failed'],
});

const ended = {
  run_id: z.int(),
  workflow_id: z.int(),
  /** The first 500 characters. */
  error: z.string().max(500).nullable(),
  /** The number of runs above it in its chain. */
  depth: z.int().nonnegative(),
};

export const runFinished = defineTopic({
  name: 'run.finished',
  when: 'when a run succeeds or is cancelled',
  data: z.object({ ...ended, status: z.enum(['succeeded', 'cancelled']) }),
});

export const runFailed = defineTopic({
  name: 'run.failed',
  when: 'when a run fails',
  data: z.object({ ...ended, status: z.literal('failed') }),
});

/**
 * One job drives one run on one worker, from its start or from where a wait, a retry or a crash left it, until it ends
 * or waits. The runs table is authoritative; a lost or duplicated job only affects timing.
 */
export const executeRunJob = defineJob({
  name: 'automation.run.execute',
  schema: z.object({ tenantId: z.string(), runId: z.number().int().positive() }),
  retry: { limit: 20, delay: 5, delayMax: 60 },
  expireInSeconds: 6 * 3600,
  partition: true,
});
