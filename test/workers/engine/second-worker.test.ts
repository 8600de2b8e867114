import { expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import { fireRun, node, readyWorkflow, untilRun } from '#test/setup/engine.ts';

test('a worker that is not first takes runs that the first has left for a fifth of a second', async ({
  api,
  startEngine,
}) => {
  const { system } = api.database;
  await system.query(
    `INSERT INTO workers (id, host, pid, lease_until) VALUES ('00000000-0000-0000-0000-000000000000', 'idle', 1, now() + interval '1 hour')`,
  );
  const { workerId } = (await startEngine({ leaseMs: 3_000 })).stats();
  const readLease = async () => {
    const { rows } = await system.query<{ until: Date }>('SELECT lease_until AS until FROM workers WHERE id = $1', [
      workerId,
    ]);
    return rows[0]?.until.getTime();
  };
  const first = await readLease();
  // It learns its place when it renews its lease.
  await expect.poll(readLease, { timeout: 20_000 }).not.toBe(first);
  const workflow = await readyWorkflow(api, { nodes: [node('a', 'set', { values: {} })] });
  const runId = await fireRun(api, workflow);
  expect(await untilRun(api, runId)).toMatchObject({ status: 'succeeded' });
  const { rows } = await system.query<{ waited: number }>(
    'SELECT (extract(epoch FROM started_at - created_at) * 1000)::float8 AS waited FROM runs WHERE id = $1',
    [runId],
  );
  expect(rows[0]?.waited).toBeGreaterThan(199);
});
