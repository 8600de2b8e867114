import { z } from 'zod';
import { defineJob } from '#src/infra/jobs.ts';

/**
 * One job per planned tick, deferred until the tick is due. The schedule's row is the truth: a job for a tick that is not the
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

// Priorities are 32-bit integers; seconds since this epoch fit until the year 2094.
const epoch = Date.UTC(2026, 0, 1);

/**
 * Earlier ticks have a higher priority and are fetched first. The queue is read in order of priority, so a fetch that names
 * the priority of the present skips the jobs that wait for later, however many.
 */
export const tickPriority = (fireAt: Date): number => -Math.floor((fireAt.getTime() - epoch) / 1_000);

/** The queue entry of a tick; `startAfter` delays it beyond its due time. */
export const tickJob = ({ tenantId, triggerId, fireAt }: PlannedTick, startAfter = fireAt) => ({
  payload: { tenantId, triggerId, fireAt: fireAt.toISOString() },
  startAfter,
  priority: tickPriority(fireAt),
});
