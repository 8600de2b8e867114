import pg from 'pg';
import { afterAll, expect } from 'vitest';
import { createHooks, startWorker } from '#test/commerce/webhooks/hooks.ts';
import { startReceiver } from '#test/commerce/webhooks/receiver.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { sweepWebhooks } from '#workers/commerce/webhooks/webhook-retention.ts';

const span = 5_000_000;
let api: TestApp;
let owner: pg.Client;
test.beforeAll(async ({ api: started }) => {
  api = started;
  owner = new pg.Client({ connectionString: api.databaseUrl });
  await owner.connect();
});
afterAll(() => owner.end());

/** From now on rows go into this partition. */
async function fill(part: number): Promise<void> {
  const at = part * span + 1_000;
  await owner.query(`SELECT setval('webhook_deliveries_id_seq', $1), setval('webhook_payloads_id_seq', $1)`, [at]);
  await owner.query('SELECT ensure_partitions()');
}

const sweep = () => sweepWebhooks(api.deps, new AbortController().signal);
const partitions = async (): Promise<string[]> => {
  const { rows } = await owner.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent::regclass::text IN ('webhook_deliveries', 'webhook_attempts', 'webhook_payloads') AND c.relname ~ '_p[01]$' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
};

test('partitions of the log are dropped once all their deliveries are older than thirty days, and newer ones stay', async ({
  onTestFinished,
}) => {
  const receiver = await startReceiver();
  const worker = await startWorker(api);
  onTestFinished(async () => {
    await worker.stop();
    await receiver.close();
  });
  api.egressAllow.add(receiver.address);
  const hooks = createHooks(api);
  const { id } = await hooks.create({ url: `${receiver.url}/log`, topics: ['log.kept'] });
  const send = async (count: number) => {
    await hooks.publish('log.kept');
    const found = await hooks.until(
      id,
      (all) => all.length === count && all.every((each) => each.status === 'delivered'),
    );
    return found.at(-1)?.id as number;
  };
  const old = await send(1);
  await fill(1);
  const later = await send(2);
  for (const part of [2, 3]) await fill(part);
  const newest = await send(3);
  expect([old, later, newest].map((each) => Math.floor(each / span))).toEqual([0, 1, 3]);
  const all = ['attempts', 'deliveries', 'payloads'].flatMap((name) => [`webhook_${name}_p0`, `webhook_${name}_p1`]);

  const age = (table: string, days: number, part: number) =>
    owner.query(`UPDATE ${table}_p${part} SET created_at = now() - make_interval(days => $1)`, [days]);
  for (const part of [0, 1]) await age('webhook_deliveries', 29, part);
  await sweep();
  expect(await partitions()).toEqual(all);

  await age('webhook_deliveries', 31, 0);
  await age('webhook_payloads', 32, 0);
  await sweep();
  expect(await partitions()).toEqual(all.filter((name) => name.endsWith('_p1')));
  expect((await hooks.deliveries(id)).map((each) => each.id)).toEqual([later, newest]);
  expect((await callPlatform(api, 'GET', `/webhooks/deliveries/${old}`)).status).toBe(404);
  expect((await callPlatform(api, 'GET', `/webhooks/deliveries/${later}`)).body).toMatchObject({
    status: 'delivered',
    attempts: [{ try: 1 }],
    payload: expect.stringContaining('log.kept'),
  });
});
