import type { z } from 'zod';
import type { JobDefinition } from '#src/infra/jobs.ts';
import type { Services } from '#src/infra/services.ts';

/** A job with its handler. */
export interface JobHandler {
  job: JobDefinition;
  run: (services: Services, payload: unknown) => Promise<void>;
}

/** Binds a handler to a job; the payload is parsed again, because a queue outlives the code that filled it. */
export const handle = <Schema extends z.ZodType>(
  job: JobDefinition<Schema>,
  work: (services: Services, payload: z.output<Schema>) => Promise<void>,
): JobHandler => ({ job, run: (services, payload) => work(services, job.schema.parse(payload)) });
