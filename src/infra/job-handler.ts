import type { z } from 'zod';
import type { JobDefinition } from './jobs.ts';
import type { Opened } from './opened.ts';

/** A job with its handler. */
export interface JobHandler {
  job: JobDefinition;
  run: (opened: Opened, payload: unknown) => Promise<void>;
}

/** Binds a handler to a job; the payload is parsed again, because a queue outlives the code that filled it. */
export const handle = <Schema extends z.ZodType>(
  job: JobDefinition<Schema>,
  work: (opened: Opened, payload: z.output<Schema>) => Promise<void>,
): JobHandler => ({ job, run: (opened, payload) => work(opened, job.schema.parse(payload)) });
