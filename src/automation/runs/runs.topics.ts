import { z } from 'zod';
import { defineTopic } from '#src/journal/outbox/topic.ts';

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
