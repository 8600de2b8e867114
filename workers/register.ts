import { setTimeout as delay } from 'node:timers/promises';
import type { JobHandler } from '#src/infra/background/job-handler.ts';
import { jobsChannel } from '#src/infra/jobs.ts';
import { isDatabaseFull } from '#src/infra/postgres/connections/full-disk.ts';
import { isOutage, outageRetryMs } from '#src/infra/postgres/outages.ts';
import type { Services } from '#src/infra/services.ts';

/** Concurrent jobs of each kind in one process. */
const maxConcurrentJobs = 4;

/**
 * Repeats work that an outage interrupted, for half of the time that the job may take. pg-boss cannot record a failure meanwhile: the job
 * would stay active until it expires, after a minute or more.
 */
export async function throughOutages(
  { expireInSeconds }: Pick<JobHandler['job'], 'expireInSeconds'>,
  work: () => Promise<void>,
): Promise<void> {
  for (const until = performance.now() + (expireInSeconds * 1_000) / 2; ;) {
    try {
      return await work();
    } catch (error) {
      // A full disk lasts until somebody frees space, so that the job waits in the queue.
      if (!isOutage(error) || isDatabaseFull(error) || performance.now() > until) throw error;
      await delay(outageRetryMs / 2, undefined, { ref: false });
    }
  }
}

/** Starts taking jobs. A job that throws is retried as its definition says; its last failure is logged as an error. */
export async function registerHandlers(services: Services, handlers: readonly JobHandler[]): Promise<void> {
  const { deps } = services;
  for (const { job, run } of handlers) {
    const wake = await deps.jobs.work(job, maxConcurrentJobs, async (batch) => {
      for (const { id, data, retryCount, retryLimit } of batch) {
        try {
          await throughOutages(job, () => run(services, data));
        } catch (error) {
          const details = { err: error, job: job.name, id, payload: data, attempt: retryCount + 1 };
          if (retryCount >= retryLimit) deps.log.error(details, 'A job failed at its last attempt; see failedJobs.');
          else deps.log.warn(details, 'A job failed and will be retried.');
          // pg-boss stores the error with the job, where operators read it. Only this process knows the secrets to remove.
          // oxlint-disable-next-line preserve-caught-error -- The cause would be stored as well.
          throw new Error(deps.redactor.text(error instanceof Error ? error.message : String(error)));
        }
      }
    });
    deps.live.subscribe(jobsChannel, job.name, { onEntry: wake, onResync: wake });
  }
}
