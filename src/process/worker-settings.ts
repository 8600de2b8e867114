import { z } from 'zod';

/**
 * What the API process sends its worker over the channel between them: settings that it knows only once its port is open and
 * Postgres is up and migrated. The worker has started by then, and has all others from its environment.
 */
export const workerSettings = z.strictObject({
  DATABASE_URL: z.string(),
  PORT: z.int(),
  EGRESS_ALLOW: z.array(z.string()),
});

export type WorkerSettings = z.infer<typeof workerSettings>;

/** The settings that the parent of this process sends it. It never resolves if the parent ends first: the lifetime notices. */
export const receiveSettings = (): Promise<WorkerSettings> =>
  new Promise((resolve, reject) => {
    process.once('message', (message) => {
      const parsed = workerSettings.safeParse(message);
      if (parsed.success) resolve(parsed.data);
      else reject(new Error('The parent process sent settings that this version of the worker does not know.'));
    });
  });
