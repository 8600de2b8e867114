import { expect } from 'vitest';
import { deliveriesChannel, buildNotices } from '#src/commerce/webhooks/delivery-changes.service.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import { listUpdates } from '#test/setup/lists.ts';
import { connect, ofOperation, subscribe } from '#test/setup/live.ts';

const url = 'https://erp.example.com/hooks';

test('a tenant follows its own deliveries, and never those of another, whatever destination it names', async ({
  api,
}) => {
  await api.database.global.tenant.upsert({
    where: { id: 'other-shop' },
    create: { id: 'other-shop', orgId: 'acme', name: 'Other shop' },
    update: {},
  });
  const make = async (tenant: string): Promise<number> => {
    const body = { name: 'ERP', url, topics: ['never.mind'] };
    return Number((await callPlatform(api, 'POST', '/webhooks/destinations', { tenant, body })).body['id']);
  };
  const ping = async (tenant: string, id: number): Promise<number> =>
    Number((await callPlatform(api, 'POST', `/webhooks/destinations/${id}/ping`, { tenant })).body['id']);
  const theirs = await make('other-shop');
  const ours = await make('acme-shop');
  await ping('other-shop', theirs);

  const client = await connect(api);
  const selected = '{ databaseId destinationId topic }';
  subscribe(client, 'all', `subscription { webhookDeliveryUpdated ${selected} }`);
  subscribe(client, 'theirs', `subscription { webhookDeliveryUpdated(destinationId: ${theirs}) ${selected} }`);
  subscribe(client, 'ours', `subscription { webhookDeliveryUpdated(destinationId: ${ours}) ${selected} }`);
  const seen = (id: string) =>
    ofOperation(client.messages, id).flatMap(({ payload }) => {
      const change = payload?.data?.['webhookDeliveryUpdated'];
      return change ? [change] : [];
    });

  // Theirs are made before ours: had they been passed on, they would have come by the time ours are there.
  const known: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    await ping('other-shop', theirs);
    known.push(await ping('acme-shop', ours));
    await client.until(() => seen('ours').some((each) => each['databaseId'] === known.at(-1)));
  }
  await client.until(() => seen('all').some((each) => each['databaseId'] === known.at(-1)));
  expect(seen('theirs')).toEqual([]);
  expect(new Set([...seen('all'), ...seen('ours')].map((each) => each['destinationId']))).toEqual(new Set([ours]));
  client.socket.close();
  await client.closed;
});

test('ids that are near each other share a notice', () => {
  const notices = buildNotices({ tenantId: 'acme-shop', destinationId: 7, ids: [203, 1, 300, 2, 103] });
  expect(notices).toEqual([
    ['acme-shop', 7, 1, 2],
    ['acme-shop', 7, 103, 300],
  ]);
  expect(buildNotices({ tenantId: 'acme-shop', destinationId: 7, ids: [] })).toEqual([]);
});

test('only the changed deliveries within the range of a notice are reported', async ({ api }) => {
  const made = await callPlatform(api, 'POST', '/webhooks/destinations', {
    body: { name: 'ERP', url, topics: ['never.mind'] },
  });
  const destination = Number(made.body['id']);
  const ids: number[] = [];
  for (let n = 0; n < 5; n += 1)
    ids.push(Number((await callPlatform(api, 'POST', `/webhooks/destinations/${destination}/ping`, {})).body['id']));
  const change = (text: string, among: number[]): Promise<unknown> =>
    api.database.system.query(
      `UPDATE webhook_deliveries SET status = 'delivered', next_attempt_at = NULL, version = version + 1, updated_at = ${text} WHERE id = ANY($1::bigint[])`,
      [among],
    );
  await change("now() - interval '10 minutes'", ids);
  const client = await connect(api);
  subscribe(client, 'ours', `subscription { webhookDeliveryUpdated(destinationId: ${destination}) { databaseId } }`);
  const seen = (): unknown[] =>
    ofOperation(client.messages, 'ours').flatMap(({ payload }) => {
      const delivery = payload?.data?.['webhookDeliveryUpdated'];
      return delivery ? [delivery['databaseId']] : [];
    });
  // Once the last, which changes again and again, is reported, the subscription has begun.
  await expect
    .poll(async () => {
      await change('now()', ids.slice(-1));
      api.database.notices.send(
        deliveriesChannel.name,
        buildNotices({ tenantId: 'acme-shop', destinationId: destination, ids: ids.slice(-1) }),
      );
      return seen();
    })
    .toContain(ids.at(-1));
  await change('now()', [ids[1] as number, ids[3] as number]);
  api.database.notices.send(deliveriesChannel.name, [['acme-shop', destination, ids[0], ids[3]]]);
  await client.until(() => seen().includes(ids[3]));
  expect(new Set(seen())).toEqual(new Set([ids[1], ids[3], ids[4]]));
  client.socket.close();
  await client.closed;
});

test('the list of deliveries is to be read once it is followed, then tells of new deliveries and of changes', async ({
  api,
}) => {
  const { body } = await callPlatform(api, 'POST', '/webhooks/destinations', {
    body: { name: 'ERP', url, topics: ['never.mind'] },
  });
  const ping = async (): Promise<number> =>
    Number((await callPlatform(api, 'POST', `/webhooks/destinations/${Number(body['id'])}/ping`)).body['id']);
  const before = await ping();
  const client = await connect(api);
  const field = 'webhookDeliveriesUpdated';
  subscribe(client, '1', `subscription { ${field} { change id node { databaseId } } }`);
  await client.until(() => listUpdates(client, field).length > 0);
  expect(listUpdates(client, field)[0]).toEqual({ change: 'RELOAD', id: null, node: null });
  const told = (id: number) =>
    listUpdates(client, field)
      .filter(({ node }) => node?.['databaseId'] === id)
      .map(({ change }) => change);

  const made = await ping();
  await client.until(() => told(made).length === 1);
  const change = (id: number) =>
    api.database.withSystem(async (tx) => {
      await tx.query(
        'UPDATE webhook_deliveries SET version = version + 1, updated_at = clock_timestamp() WHERE id = $1',
        [id],
      );
      const ids = { tenantId: 'acme-shop', destinationId: Number(body['id']), ids: [id] };
      tx.notify(deliveriesChannel.name, buildNotices(ids));
    });
  await change(made);
  await change(before);
  await client.until(() => told(before).length === 1 && told(made).length === 2);
  expect(told(made)).toEqual(['ADDED', 'CHANGED']);
  expect(told(before)).toEqual(['CHANGED']);
  client.socket.close();
  await client.closed;
});
