import pg from 'pg';
import { expect } from 'vitest';
import { deleteDestination } from '#src/commerce/webhooks/destinations.service.ts';
import { giveUpDeletedJob } from '#src/commerce/webhooks/webhooks.declarations.ts';
import { commerce } from '#src/domains/commerce.ts';
import { systemActor } from '#src/infra/deps.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test as base } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { countRowsAtEnd } from '#test/setup/counted-rows.ts';
import { createHooks, startWorker } from './hooks.ts';
import { type Receiver, startReceiver, status } from './receiver.ts';

const test = base.extend('receiver', { scope: 'file' }, async ({ api }, { onCleanup }) => {
  const receiver = await startReceiver();
  api.egressAllow.add(receiver.address);
  const worker = await startWorker(api);
  onCleanup(async () => {
    await worker.stop();
    await receiver.close();
  });
  return receiver;
});

let api: TestApp;
let receiver: Receiver;
let hooks: ReturnType<typeof createHooks>;
test.beforeAll(({ api: started, receiver: services }) => {
  api = started;
  receiver = services;
  hooks = createHooks(api);
});

const sql = (text: string, values: unknown[] = []) => api.database.system.query(text, values);
const isDelivered = (found: { status: string }[]): boolean =>
  found.length > 0 && found.every((each) => each.status === 'delivered');
const statuses = async (id: number, which: string): Promise<number> =>
  (await callPlatform(api, 'GET', `/webhooks/deliveries?destination_id=${id}&status=${which}&limit=1`)).body[
    'total'
  ] as unknown as number;

test('deliveries that succeed the first time change no index', async ({ ownApi }) => {
  ownApi.egressAllow.add(receiver.address);
  const worker = await startWorker(ownApi);
  const { create, publish, until } = createHooks(ownApi);
  const { id } = await create({ url: `${receiver.url}/at-once`, topics: ['test.at-once'] });
  for (let n = 0; n < 30; n += 1) await publish('test.at-once', { n });
  await until(id, (found) => found.length === 30 && isDelivered(found));
  await worker.stop();
  const { changed, inPlace } = await countRowsAtEnd(ownApi, '^webhook_deliveries_p');
  expect(changed).toBeGreaterThanOrEqual(30);
  expect(inPlace).toBe(changed);
});

test('new deliveries arrive even if thousands before them are held', async () => {
  const { id } = await hooks.create({ url: `${receiver.url}/behind`, topics: ['test.behind'] });
  await sql(
    `WITH payload AS (
       INSERT INTO webhook_payloads (tenant_id, event_id, topic, body, size)
       VALUES ('acme-shop', gen_random_uuid(), 'test.behind', '{}', 2) RETURNING id
     )
     INSERT INTO webhook_deliveries (tenant_id, destination_id, payload_id, status)
     SELECT 'acme-shop', $1, payload.id, 'held' FROM payload, generate_series(1, 2500)`,
    [id],
  );
  const eventId = await hooks.publish('test.behind');
  const [arrived] = await receiver.until('/behind', 1);
  expect(arrived?.event.id).toBe(eventId);
  await expect.poll(() => statuses(id, 'delivered')).toBe(1);
  expect([await statuses(id, 'held'), await statuses(id, 'pending')]).toEqual([2_500, 0]);
});

test('pending deliveries are listed and counted, new and retried ones', async () => {
  const { id } = await hooks.create({ url: `${receiver.url}/waits`, topics: ['test.waits'], ordered: true });
  receiver.answer = (arrived, response, request) =>
    status(arrived.path === '/waits' ? 500 : 200)(arrived, response, request);
  for (let n = 0; n < 3; n += 1) await hooks.publish('test.waits', { n });
  const found = await hooks.until(id, (all) => all.length === 3 && all[0]?.attempts.length === 1);
  expect(found.every(({ next_attempt_at: at }) => at !== null)).toBe(true);
  expect(await statuses(id, 'pending')).toBe(3);
  const list = await callPlatform(api, 'GET', `/webhooks/deliveries?status=pending&topic=test.waits`);
  expect(list.body['total']).toBe(3);
  const { data } = await api.graphql<{ webhookDestination: { backlog: Record<string, number> } }>(
    `query ($id: ID!) { webhookDestination(id: $id) { backlog { pending failed held } } }`,
    { id: String(id) },
  );
  expect(data.webhookDestination.backlog).toEqual({ pending: 3, failed: 0, held: 0 });
  await callPlatform(api, 'DELETE', `/webhooks/destinations/${id}`);
  expect([await statuses(id, 'pending'), await statuses(id, 'failed')]).toEqual([0, 3]);
});

test('pending deliveries are given up by a job if the process that deletes their destination ends early', async () => {
  const { id } = await hooks.create({ url: `${receiver.url}/deleted`, topics: ['test.deleted'], ordered: true });
  receiver.answer = status(500);
  for (let n = 0; n < 3; n += 1) await hooks.publish('test.deleted', { n });
  await hooks.until(id, (all) => all.length === 3 && all[0]?.attempts.length === 1);
  const { database } = api.deps;
  const ended = new Error('The process has ended.');
  let calls = 0;
  const withTenant = ((...args: Parameters<typeof database.withTenant>) =>
    (calls += 1) === 1 ? database.withTenant(...args) : Promise.reject(ended)) as typeof database.withTenant;
  const ending = { ...api.deps, database: { ...database, withTenant } };
  await expect(deleteDestination(ending, systemActor('acme', 'acme-shop'), BigInt(id))).rejects.toThrow(ended);
  expect(await statuses(id, 'failed')).toBe(0);
  const { rows } = await sql(`SELECT data FROM pgboss.job WHERE name = $1`, [giveUpDeletedJob.name]);
  const given = rows.find(({ data }) => data.destinationId === id);
  for (const { run } of commerce.handlers ?? []) await run(api.services, given.data);
  expect(await statuses(id, 'failed')).toBe(3);
});

test('a delivery whose response could not be recorded is sent again', async ({ onTestFinished }) => {
  const { id } = await hooks.create({ url: `${receiver.url}/lost`, topics: ['test.lost'] });
  const owner = new pg.Client({ connectionString: api.databaseUrl });
  await owner.connect();
  await owner.query(
    `CREATE FUNCTION refuse_attempt() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$`,
  );
  await owner.query(
    `CREATE TRIGGER refuse BEFORE INSERT ON webhook_attempts FOR EACH ROW WHEN (NEW.http_code = 299) EXECUTE FUNCTION refuse_attempt()`,
  );
  onTestFinished(async () => {
    await owner.query('DROP TRIGGER refuse ON webhook_attempts; DROP FUNCTION refuse_attempt()');
    await owner.end();
  });
  let calls = 0;
  receiver.answer = (arrived, response, request) =>
    status(arrived.path === '/lost' && arrived.event.data['n'] === 1 && (calls += 1) === 1 ? 299 : 200)(
      arrived,
      response,
      request,
    );
  for (let n = 0; n < 3; n += 1) await hooks.publish('test.lost', { n });
  const found = await hooks.until(id, (all) => all.length === 3 && isDelivered(all));
  expect(found.map(({ attempts }) => attempts.length)).toEqual([1, 1, 1]);
  expect(receiver.arrived.filter(({ path }) => path === '/lost').map(({ event }) => event.data['n'])).toHaveLength(4);
});
