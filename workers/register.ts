import type { Domain } from '#src/domains/parts/domain.ts';
import type { JobHandler } from '#src/infra/job-handler.ts';
import { jobsChannel } from '#src/infra/jobs.ts';
import type { Opened } from '#src/infra/opened.ts';

/** Concurrent jobs of each kind in one process. */
const maxConcurrentJobs = 4;

/** The job handlers of all domains. */
export async function loadHandlers(domains: readonly Domain[]): Promise<JobHandler[]> {
  const handlers = await Promise.all(domains.map(async ({ handlers: load }) => (await load?.()) ?? []));
  return handlers.flat();
}

/** Starts taking jobs. A job that throws is retried as its definition says; its last failure is logged as an error. */
export async function registerHandlers(opened: Opened, handlers: readonly JobHandler[]): Promise<void> {
  const { deps } = opened;
  for (const { job, run } of handlers) {
    const wake = await deps.jobs.work(job, maxConcurrentJobs, async (batch) => {
      for (const { id, data, retryCount, retryLimit } of batch) {
        try {
          await run(opened, data);
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
