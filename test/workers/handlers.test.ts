import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { declarations, domains } from '#src/domains/domains.ts';
import { handle } from '#src/infra/background/job-handler.ts';
import type { Deps } from '#src/infra/deps.ts';
import { deadJobsQueue, defineJob, type Jobs, startJobs } from '#src/infra/jobs.ts';
import { createPubsub } from '#src/infra/live/pubsub.ts';
import { createRedactor } from '#src/infra/logs/redact.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { openDatabase } from '#src/infra/postgres/database.ts';
import type { Services } from '#src/infra/services.ts';
import { cloneDatabase } from '#test/setup/database.ts';
import { registerHandlers } from '#workers/register.ts';

test('every job has exactly one handler or is claimed, and every handler has a job', () => {
  const handled = domains.flatMap(({ handlers = [], claimedJobs = [] }) =>
    [...handlers.map(({ job }) => job), ...claimedJobs].map(({ name }) => name),
  );
  expect(handled.toSorted()).toEqual(declarations.jobs.map(({ name }) => name).toSorted());
});

describe('a registered handler', () => {
  const job = defineJob({
    name: 'test.thing.do',
    schema: z.object({ id: z.coerce.number().int() }),
    retry: { limit: 1, delay: 1, delayMax: 1 },
    expireInSeconds: 30,
  });
  const lines: { level: number; msg: string; attempt: number }[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const taken: unknown[] = [];
  let url: string;
  let jobsRunning: Jobs;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const cloned = await cloneDatabase();
    ({ url } = cloned);
    await migrate(url, [...declarations.jobs, job]);
    const database = openDatabase({ url, poolSize: 4 });
    jobsRunning = await startJobs({ database, maintain: { url }, onError: () => undefined });
    const live = createPubsub({ url, onError: () => undefined });
    close = async () => {
      await jobsRunning.stop();
      await live.close();
      await database.close();
      await cloned.drop();
    };
    const deps = { database, jobs: jobsRunning, live, log, redactor: createRedactor() } as Deps;
    const work = async (_opened: Services, payload: { id: number }) => {
      taken.push(payload);
      if (payload.id === 13) throw new Error('unlucky');
    };
    await registerHandlers({ deps } as Services, [handle(job, work)]);
  });
  afterAll(() => close());

  test('takes a job with its payload parsed', async () => {
    await jobsRunning.send(job, { id: '7' });
    await vi.waitFor(() => expect(taken).toContainEqual({ id: 7 }), 60_000);
  });

  test('logs a failure that will be retried as a warning, and the last one as an error', async () => {
    await jobsRunning.send(job, { id: 13 });
    await vi.waitFor(() => expect(lines).toHaveLength(2), 60_000);
    expect(lines.map(({ level, attempt }) => [level, attempt])).toEqual([
      [40, 1],
      [50, 2],
    ]);
    await vi.waitFor(async () => expect(await jobsRunning.boss.fetch(deadJobsQueue)).toHaveLength(1), 60_000);
  });

  test('never sees a payload that breaks the schema', async () => {
    const before = taken.length;
    await jobsRunning.boss.send(job.name, { id: 'many' }, { retryLimit: 0 });
    await vi.waitFor(() => expect(lines).toHaveLength(3), 60_000);
    expect(taken).toHaveLength(before);
  });
});
