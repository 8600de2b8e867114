import { z } from 'zod';
import { defineJob } from '#src/infra/jobs.ts';

/**
 * One job is one planned tick, deferred until it is due. The schedule's row is the truth: a job about another tick than the
 * row's next one is stale and does nothing.
 */
export const scheduleTickJob = defineJob({
  name: 'automation.schedule.tick',
  schema: z.object({
    tenantId: z.string(),
    triggerId: z.coerce.number().int().positive(),
    fireAt: z.iso.datetime(),
  }),
  retry: { limit: 5, delay: 5, delayMax: 60 },
  expireInSeconds: 60,
  partition: true,
});

/** A planned tick of a schedule. */
export interface PlannedTick {
  tenantId: string;
  triggerId: number;
  fireAt: Date;
}

// Priorities are 32-bit integers; seconds from here last until the year 2094.
const epoch = Date.UTC(2026, 0, 1);

/**
 * What is due first is fetched first. And as the queue is read in order of priority, a fetch that names the priority of the
 * present never looks at the jobs, however many, that wait for later.
 */
export const tickPriority = (fireAt: Date): number => -Math.floor((fireAt.getTime() - epoch) / 1_000);

/** The queue's entry for a tick; `startAfter` where it is to be looked at later than it is due. */
export const tickJob = ({ tenantId, triggerId, fireAt }: PlannedTick, startAfter = fireAt) => ({
  payload: { tenantId, triggerId, fireAt: fireAt.toISOString() },
  startAfter,
  priority: tickPriority(fireAt),
});
