import { expect } from 'vitest';
import {
  deliveriesChannel,
  type DeliveryNotice,
  gatherNotices,
} from '#src/commerce/webhooks/delivery-changes.service.ts';
import { watchDeliveries } from '#src/commerce/webhooks/watch-deliveries.service.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

const tenantId = 'acme-shop';

/** A destination and that many deliveries to it, which arrived before now; their ids follow each other. */
async function madeBefore(
  api: TestApp,
  many: number,
  before = '10 minutes',
): Promise<{ destination: number; ids: number[] }> {
  const { body } = await callPlatform(api, 'POST', '/webhooks/destinations', {
    body: { name: 'ERP', url: 'https://erp.example.com/hooks', topics: ['never.mind'] },
  });
  const { rows } = await api.database.system.query<{ id: number }>(
    `WITH payload AS (
       INSERT INTO webhook_payloads (tenant_id, event_id, topic, body, size) VALUES ($1, gen_random_uuid(), 'never.mind', '{}', 2) RETURNING id
     )
     INSERT INTO webhook_deliveries (tenant_id, destination_id, payload_id, status, updated_at)
     SELECT $1, $2, payload.id, 'delivered', now() - $4::interval FROM payload, generate_series(1, $3) RETURNING id`,
    [tenantId, body['id'], many, before],
  );
  return {
    destination: Number(body['id']),
    ids: rows.map(({ id }) => id).toSorted((one, other) => one - other),
  };
}

const change = (api: TestApp, ids: number[]): Promise<unknown> =>
  api.database.system.query(
    'UPDATE webhook_deliveries SET version = version + 1, updated_at = now() WHERE id = ANY($1::bigint[])',
    [ids],
  );

const notify = (api: TestApp, notices: DeliveryNotice[]): void =>
  api.database.notices.send(deliveriesChannel.name, notices);

/** Follows all deliveries of the tenant, of those made from now on as a reader that has room for so many at a time. */
async function follow(api: TestApp, room: number) {
  const { destination, ids } = await madeBefore(api, 1);
  const [last] = ids as [number];
  const seen: number[] = [];
  let left = room;
  const source = watchDeliveries(
    api.deps,
    tenantId,
    null,
  )({
    event({ delivery }) {
      seen.push(delivery.id);
      if (delivery.id > last) left -= 1;
      return left > 0;
    },
    end: () => undefined,
  });
  // Once it is reported, the channel is listened to.
  await change(api, ids);
  await expect
    .poll(() => {
      notify(api, [[tenantId, destination, last, last]]);
      return seen;
    })
    .toContain(last);
  return {
    of: (wanted: readonly number[]) => new Set(seen.filter((id) => wanted.includes(id))),
    makeRoom() {
      left = room;
      source.resume?.();
    },
    close: () => source.close(),
  };
}

test('a change is reported even when more notices arrive than can be read', async ({ api }) => {
  const reader = await follow(api, Infinity);
  const { destination, ids } = await madeBefore(api, 1_300);
  const changed = ids.slice(0, 100);
  await change(api, changed);
  // 1,500 notices, each of another range.
  notify(
    api,
    changed.flatMap((id) =>
      Array.from({ length: 15 }, (_, more): DeliveryNotice => [tenantId, destination, id, id + more]),
    ),
  );
  await expect.poll(() => reader.of(ids)).toEqual(new Set(changed));
  reader.close();
});

test('after lost notices, changes before the view was opened are not reported', async ({ api }) => {
  const reader = await follow(api, Infinity);
  const { ids } = await madeBefore(api, 20, '30 seconds');
  const changed = ids.slice(5, 8);
  await change(api, changed);
  api.database.notices.skip(deliveriesChannel.name);
  await expect.poll(() => reader.of(ids), { timeout: 5_000 }).toEqual(new Set(changed));
  reader.close();
});

test('a reader without room gets nothing until it has room again, and then the rest', async ({ api }) => {
  const reader = await follow(api, 600);
  const { destination, ids } = await madeBefore(api, 1_300);
  await change(api, ids);
  notify(api, [[tenantId, destination, ids[0] as number, ids.at(-1) as number]]);
  await expect.poll(() => reader.of(ids).size).toBe(600);
  reader.makeRoom();
  await expect.poll(() => reader.of(ids).size).toBe(1_200);
  reader.makeRoom();
  await expect.poll(() => reader.of(ids)).toEqual(new Set(ids));
  reader.close();
});

test('notices are merged by destination, and distant ones only if too many are left', () => {
  const notices: DeliveryNotice[] = [
    ['acme-shop', 7, 40, 50],
    ['acme-shop', 8, 60, 60],
    ['acme-shop', 7, 1, 45],
    ['acme-shop', 7, 900, 950],
    ['acme-shop', 7, 150, 160],
  ];
  expect(gatherNotices(notices, 3)).toEqual([
    ['acme-shop', 7, 1, 160],
    ['acme-shop', 7, 900, 950],
    ['acme-shop', 8, 60, 60],
  ]);
  expect(gatherNotices(notices, 2)).toEqual([
    ['acme-shop', 7, 1, 950],
    ['acme-shop', 8, 60, 60],
  ]);
  // Distant ones stay separate if merging nearer ones is enough, because a view would read everything in between.
  expect(gatherNotices([...notices, ['acme-shop', 7, 50_000, 50_001]], 3)).toEqual([
    ['acme-shop', 7, 1, 950],
    ['acme-shop', 7, 50_000, 50_001],
    ['acme-shop', 8, 60, 60],
  ]);
});
