import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { runsChannel } from '#src/automation/runs/live/run-feed.service.ts';
import { notifyWorkflow } from '#src/automation/workflows/workflow-notices.service.ts';
import { test } from '#test/setup/app-test.ts';
import { connect, ofOperation, subscribe } from '#test/setup/live.ts';
import { makeRun, makeWorkflow } from '#test/setup/runs.ts';

const tenant = 'acme-shop';

test('the first subscriptions of a process begin once, though others have sent notices before and repeat their numbers', async ({
  api,
  startBeside,
}) => {
  const id = await makeWorkflow(api.deps, tenant, 'Watched');
  const runId = await makeRun(api.deps, tenant, id);
  await api.database.withTenantSql(tenant, async (tx) => {
    notifyWorkflow(tx, tenant, id, 'changed');
    tx.notify(runsChannel.name, [[tenant, runId, id, 'queued', 1, null, null, Date.now()]]);
  });
  const beside = await startBeside();
  const client = await connect(beside);
  subscribe(
    client,
    '1',
    'subscription ($id: ID!) { workflowUpdated(id: $id, editing: true) { change editors { name } } }',
    { id },
  );
  subscribe(client, '2', 'subscription { runsUpdated { change } }', {});
  // Numbers are repeated twice a second, and lists begin again at most once a second.
  await delay(3_000);
  const changes = (operation: string, field: string) =>
    ofOperation(client.messages, operation).map(
      ({ payload }) => (payload?.data?.[field] as unknown as { change: string } | undefined)?.change,
    );
  expect(changes('1', 'workflowUpdated').filter((change) => change === 'CURRENT')).toEqual(['CURRENT']);
  expect(changes('1', 'workflowUpdated')).toContain('EDITORS');
  expect(changes('2', 'runsUpdated')).toEqual(['RELOAD']);
  client.socket.close();
});
