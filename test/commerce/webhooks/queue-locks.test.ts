import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import { renewQueues } from '#workers/commerce/webhooks/sending-statements.ts';

const tenantId = 'acme-shop';

test('leases are renewed in the order in which others lock queues, so that no deadlock occurs', async ({ api }) => {
  const { system, withSystem } = api.database;
  const make = async (): Promise<number> => {
    const body = { name: 'ERP', url: 'https://erp.example.com/hooks', topics: ['never.mind'] };
    return Number((await callPlatform(api, 'POST', '/webhooks/destinations', { body })).body['id']);
  };
  const [first, second] = [await make(), await make()];
  const owner = randomUUID();
  // The first now lies behind the second in the table, and is named behind it as well.
  for (const id of [second, first])
    await system.query('UPDATE webhook_queues SET owner = $1 WHERE destination_id = $2', [owner, id]);
  const queues = [second, first].map((destinationId) => ({
    tenantId,
    destinationId,
    sentTo: undefined,
    server: undefined,
  }));

  let renewed: ReturnType<typeof renewQueues> | undefined;
  await withSystem(async (tx) => {
    const lock = (id: number) =>
      tx.query('SELECT FROM webhook_queues WHERE destination_id = $1 FOR NO KEY UPDATE', [id]);
    await lock(first);
    renewed = renewQueues(system, { owner, leaseMs: 1_000, queues });
    const waiting = 'SELECT FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid';
    await expect.poll(async () => (await tx.query(waiting)).rowCount).toBe(1);
    await lock(second);
  });
  expect(new Set((await renewed)?.map(({ destinationId }) => destinationId))).toEqual(new Set([first, second]));
});
