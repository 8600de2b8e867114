import { expect } from 'vitest';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
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
