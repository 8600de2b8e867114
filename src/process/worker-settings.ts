import { z } from 'zod';

/**
 * The settings that the API process sends its worker over the channel between them: they are known only once its port is open and Postgres
 * is up and migrated. The worker has started by then, and has all other settings from its environment.
 */
export const workerSettings = z.strictObject({
  DATABASE_URL: z.string(),
  PORT: z.int(),
  EGRESS_ALLOW: z.array(z.string()),
});

export type WorkerSettings = z.infer<typeof workerSettings>;

/** The settings that the parent of this process sends it. Never resolves if the parent ends first; the lifetime handles that. */
export const receiveSettings = (): Promise<WorkerSettings> =>
  new Promise((resolve, reject) => {
    process.once('message', (message) => {
      const parsed = workerSettings.safeParse(message);
      if (parsed.success) resolve(parsed.data);
      else reject(new Error('The parent process sent settings that this version of the worker does not know.'));
    });
  });
