import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '#test/setup/app.ts';
import { chain, node, readyWorkflow } from '#test/setup/engine.ts';
import { type OwnProcess, startWorker } from './processes.ts';
import { fireMany, untilAllEnded } from './workload.ts';

let app: TestApp;
let worker: OwnProcess;

beforeAll(async () => {
  app = await startTestApp();
  worker = await startWorker({ databaseUrl: app.databaseUrl });
});
afterAll(async () => {
  worker.signal('SIGKILL');
  await worker.exited;
  await app.close();
});

const backlog = 5_000;

describe('a tenant that queues thousands of runs', () => {
  it('does not keep the few of another waiting until they are done', { timeout: 90_000 }, async () => {
    const blob = {
      nodes: [node('a', 'set', { values: { n: 1 } }), node('b', 'emit-event', { topic: 'chaos.step', data: {} })],
      edges: chain('a', 'b'),
    };
    const many = await readyWorkflow(app, blob, { tenantId: 'acme-shop' });
    const few = await readyWorkflow(app, blob, { tenantId: 'other-shop' });
    await fireMany(app, [many], backlog);
    await fireMany(app, [few], 20);
    await untilAllEnded(app, 60_000);
    const { rows } = await app.database.system.query<{ waited: number; began: number; total: number }>(
      `SELECT
         (SELECT count(*)::int FROM runs a WHERE a.tenant_id = 'acme-shop' AND a.completed_at < b.last
           AND a.completed_at > b.asked) AS waited,
         (SELECT count(*)::int FROM runs a WHERE a.tenant_id = 'acme-shop' AND a.completed_at < b.asked) AS began,
         (SELECT count(*)::int FROM runs a WHERE a.tenant_id = 'acme-shop') AS total
       FROM (SELECT min(created_at) AS asked, max(completed_at) AS last FROM runs WHERE tenant_id = 'other-shop') AS b`,
    );
    const [{ waited, began, total }] = rows as [{ waited: number; began: number; total: number }];
    process.stdout.write(
      `${JSON.stringify({ test: 'twenty runs behind five thousand', total, doneBefore: began, doneMeanwhile: waited })}\n`,
    );
    expect(total).toBe(backlog);
    // There was a queue to wait in, and they did not stand at its end.
    expect(total - began).toBeGreaterThan(backlog / 4);
    expect(waited).toBeLessThan((total - began) / 5);
  });
});
