import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import pg from 'pg';
import { expect } from 'vitest';
import { serverSql } from '#src/infra/postgres/connections/server-session.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { renewQueues } from '#workers/commerce/webhooks/sending-statements.ts';
import { createHooks, startWorker } from './hooks.ts';
import { startReceiver } from './receiver.ts';

const tenantId = 'acme-shop';

/** The effect of a failover whose standby lacks the deliveries after `last`: their ids are reused, and all connections end. */
async function lose(api: TestApp, last: number): Promise<void> {
  const owner = new pg.Client({ connectionString: api.databaseUrl });
  await owner.connect();
  await owner.query(`BEGIN; DELETE FROM webhook_attempts WHERE delivery_id > ${last}; DELETE FROM webhook_deliveries WHERE id > ${last};
    UPDATE webhook_queues SET sent_to = ${last}; SELECT setval('webhook_deliveries_id_seq', ${last + 1}, false); COMMIT`);
  await owner.end();
}

async function cutConnections(api: TestApp): Promise<void> {
  const owner = new pg.Client({ connectionString: api.databaseUrl });
  await owner.connect();
  await owner.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  await owner.end();
}

test('deliveries that get the ids of lost ones are sent, and do not get the outcome of a lost one', async ({
  api,
  onTestFinished,
}) => {
  const receiver = await startReceiver();
  api.egressAllow.add(receiver.address);
  // Its lease is not renewed meanwhile: only the lost connections tell it.
  const worker = await startWorker(api, { leaseMs: 60_000 });
  onTestFinished(async () => {
    await worker.stop();
    await receiver.close();
  });
  const hooks = createHooks(api);
  const { id } = await hooks.create({ url: `${receiver.url}/hooks`, topics: ['test.lost'] });
  let late: ServerResponse | undefined;
  receiver.answer = ({ event }, response) => {
    if (event.data['n'] === 3) late = response;
    else response.end('ok');
  };
  for (const n of [1, 2, 3]) await hooks.publish('test.lost', { n });
  await receiver.until('/hooks', 3);
  const made = await hooks.until(id, (all) => all.filter(({ status }) => status === 'delivered').length === 2);
  const first = Math.min(...made.map((delivery) => delivery.id));

  await lose(api, first - 1);
  for (const n of [11, 12, 13]) await hooks.publish('test.lost', { n });
  const again = await hooks.until(id, (all) => all.length === 3);
  expect(again.map((delivery) => delivery.id)).toEqual([first, first + 1, first + 2]);
  await cutConnections(api);
  late?.end('ok');

  const arrived = await receiver.until('/hooks', 6);
  // Several are under way at a time.
  expect(arrived.slice(3).map(({ event }) => event.data['n'])).toEqual(expect.arrayContaining([11, 12, 13]));
  await hooks.until(id, (all) => all.every(({ status }) => status === 'delivered'));
});

test('a position of another server, or above the sequence, is not written', async ({ api }) => {
  const { system } = api.database;
  const body = { name: 'ERP', url: 'https://erp.example.com/hooks', topics: ['never.mind'] };
  const destinationId = Number((await callPlatform(api, 'POST', '/webhooks/destinations', { body })).body['id']);
  const owner = randomUUID();
  await system.query('UPDATE webhook_queues SET owner = $1, sent_to = 1 WHERE destination_id = $2', [
    owner,
    destinationId,
  ]);
  const { rows } = await system.query<{ server: string; last: number }>(
    `SELECT ${serverSql} AS server, nextval('webhook_deliveries_id_seq') AS last`,
  );
  const { server = '', last = 0 } = rows[0] ?? {};
  const report = async (of: string, sentTo: number | undefined) => {
    const queues = [{ tenantId, destinationId, sentTo, server: of }];
    return (await renewQueues(system, { owner, leaseMs: 1_000, queues }))[0]?.sentTo;
  };
  expect(await report('a former primary', last)).toBe(1);
  expect(await report(server, undefined)).toBe(1);
  expect(await report(server, last - 1)).toBe(last - 1);
  expect(await report(server, last + 100)).toBe(last);
});
