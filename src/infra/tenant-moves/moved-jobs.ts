import type pg from 'pg';
import type { JobDefinition, Jobs } from '#src/infra/jobs.ts';
import type { Manifest } from './manifest.ts';

export type InsertJobs = (client: pg.Client, jobs: Manifest['jobs']) => Promise<void>;

/** Puts jobs that were taken out of other queues into these. Workers find them at their next poll, which is a second away at most. */
export const jobInserter =
  (queues: Jobs, definitions: readonly JobDefinition[]): InsertJobs =>
  async (client, jobs) => {
    const tx = { query: client.query.bind(client), notify: () => undefined, expireLeases: () => undefined };
    for (const { name, data, startAfter } of jobs) {
      const definition = definitions.find((each) => each.name === name);
      if (!definition) throw new Error(`There is no queue ${name} here for a job of the archive.`);
      await queues.insert(definition, [{ payload: data, startAfter: new Date(startAfter) }], { tx });
    }
  };
