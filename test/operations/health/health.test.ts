import { expect } from 'vitest';
import { insertRun, insertWorkflow } from '#test/automation/runs/run-rows.ts';
import { test } from '#test/setup/app-test.ts';

interface Health {
  version: string;
  workers: number;
  eventLagSeconds: number;
  oldestQueuedAt: string | null;
}

const document = '{ health { version workers eventLagSeconds oldestQueuedAt } }';

test('health counts the workers that live, and says since when a run waits', async ({ api }) => {
  const { system } = api.database;
  const before = await api.graphql<{ health: Health }>(document);
  expect(before.data.health).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    workers: 0,
    oldestQueuedAt: null,
  });

  await system.query(`INSERT INTO workers (id, host, pid, lease_until) VALUES
    (gen_random_uuid(), 'live', 1, now() + interval '1 hour'), (gen_random_uuid(), 'dead', 2, now() - interval '1 second')`);
  const workflow = await insertWorkflow(api.database, 'acme-shop', 'Orders');
  await insertRun(api.database, 'acme-shop', workflow, { status: 'queued' });
  const { data } = await api.graphql<{ health: Health }>(document);
  expect(data.health.workers).toBe(1);
  expect(Date.parse(data.health.oldestQueuedAt ?? '')).toBeGreaterThan(Date.now() - 60_000);
});
