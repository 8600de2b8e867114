import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import { fireTicks } from './schedule-firing.service.ts';
import { scheduleTickJob, tickPriority } from './schedules.declarations.ts';
import { readClock } from './schedules.store.ts';

/** The jobs whose transaction failed; `cause` is the error. */
export class ClaimError extends Error {
  readonly jobIds: string[];

  constructor(jobIds: string[], cause: unknown) {
    super('Ticks could not be fired.', { cause });
    this.jobIds = jobIds;
  }
}

export interface Claim {
  /** How many jobs were taken; when this equals the limit there may be more. */
  taken: number;
  fired: number;
  /** The start of the claim, by the database's clock. */
  now: Date;
}

/**
 * Takes up to `limit` due ticks from the queue and fires them, all in one transaction: when a worker dies halfway, others can
 * take its jobs immediately. Throws a ClaimError when the jobs may be the cause of the failure.
 */
export const claimTicks = (deps: Pick<Deps, 'database' | 'log'> & RunQueue, limit: number): Promise<Claim> =>
  deps.database.withSystem(async (client) => {
    const now = await readClock(client);
    const jobs = await deps.jobs.take(scheduleTickJob, limit, { tx: client, minPriority: tickPriority(now) });
    if (jobs.length === 0) return { taken: 0, fired: 0, now };
    try {
      const ticks = jobs.map(({ data }) => {
        const { fireAt, ...key } = scheduleTickJob.schema.parse(data);
        return { ...key, fireAt: new Date(fireAt) };
      });
      // schedule_ticks records the outcome of ticks.
      return { taken: jobs.length, fired: await fireTicks(client, deps, ticks), now };
    } catch (error) {
      throw new ClaimError(
        jobs.map(({ id }) => id),
        error,
      );
    }
  });

/** Fails a tick that could not be fired even alone: it is retried according to its job, then dead-lettered. */
export const putAside = async ({ jobs }: Deps, jobId: string, error: unknown): Promise<void> => {
  await jobs.boss.fail(scheduleTickJob.name, jobId, {
    message: error instanceof Error ? error.message : String(error),
  });
};
