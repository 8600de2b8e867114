import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { deliveriesChannel, buildNotices } from '#src/commerce/webhooks/delivery-changes.service.ts';
import { watchDeliveries } from '#src/commerce/webhooks/watch-deliveries.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import { createPubsub, type Pubsub } from '#src/infra/live/pubsub.ts';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { cloneDatabase } from '#test/setup/database.ts';

const tenants = ['one', 'two'];
let database: Database;
let live: Pubsub;
let drop: () => Promise<void>;

beforeAll(async () => {
  const clone = await cloneDatabase();
  ({ drop } = clone);
  database = openDatabase({ url: clone.url, poolSize: 4 });
  live = createPubsub({ url: clone.url, onError: () => undefined });
  // A change before the channel is listened on is not a change for a view.
  await new Promise<void>((resolve) => {
    live.subscribe(deliveriesChannel, 'nobody', { onEntry: () => undefined, onResync: () => resolve() });
  });
  await database.global.org.create({ data: { id: 'acme', name: 'Acme' } });
  await database.global.tenant.createMany({ data: tenants.map((id) => ({ id, orgId: 'acme', name: id })) });
});
afterAll(async () => {
  await live.close();
  await database.close();
  await drop();
});

const deps = (): Deps => ({ database, live, log: { warn: () => undefined } }) as unknown as Deps;

/** Makes as many deliveries of a tenant as there are ids, to some destinations in turn, each changed so long ago. */
async function makeDeliveries(tenant: string, ids: number[], destinations: number[], age: string): Promise<void> {
  await database.system.query('DELETE FROM webhook_deliveries');
  await database.system.query(
    `WITH payload AS (
       INSERT INTO webhook_payloads (tenant_id, event_id, topic, body, size) VALUES ($1, gen_random_uuid(), 'thing.made', '{}', 2) RETURNING id
     )
     INSERT INTO webhook_deliveries (tenant_id, id, destination_id, payload_id, status, updated_at)
     SELECT $1, given.id, ($3::bigint[])[1 + place % cardinality($3::bigint[])], payload.id, 'delivered', clock_timestamp() - $4::interval
     FROM payload, unnest($2::bigint[]) WITH ORDINALITY AS given(id, place)`,
    [tenant, ids, destinations, age],
  );
}

/** Changes deliveries, and sends the notices of that. */
async function change(tenant: string, ids: number[]): Promise<void> {
  const { rows } = await database.system.query<{ destination: number; ids: number[] }>(
    `WITH changed AS (
       UPDATE webhook_deliveries SET version = version + 1, updated_at = clock_timestamp() WHERE tenant_id = $1 AND id = ANY($2::bigint[])
       RETURNING destination_id, id
     ) SELECT destination_id AS destination, json_agg(id) AS ids FROM changed GROUP BY 1`,
    [tenant, ids],
  );
  for (const each of rows)
    database.notices.send(
      deliveriesChannel.name,
      buildNotices({ tenantId: tenant, destinationId: each.destination, ids: each.ids }),
    );
}

/** Follows deliveries; resolves to the ids and versions that it reports. */
async function follow(tenant: string, destination: number | null): Promise<[id: number, version: number][]> {
  const seen: [number, number][] = [];
  const source = watchDeliveries(
    deps(),
    tenant,
    destination,
  )({
    event: ({ delivery }) => {
      seen.push([delivery.id, delivery.version]);
      return true;
    },
    end: () => undefined,
  });
  onTestFinished(source.close);
  // Notices of what was changed before.
  await live.settled();
  return seen;
}

test('thousands of old deliveries that change together are all reported, and none of another tenant', async () => {
  const old = Array.from({ length: 4_000 }, (_, n) => 1 + n * 200);
  const newer = Array.from({ length: 2_000 }, (_, n) => 900_000 + n);
  await makeDeliveries('one', [...old, ...newer], [7, 8, 9], '1 hour');
  const ours = await follow('one', null);
  const those = await follow('one', 8);
  const theirs = await follow('two', null);
  await change('one', old);
  await expect.poll(() => new Set(ours.map(([id]) => id)).size, { timeout: 20_000 }).toBe(old.length);
  const toEight = old.filter((_, place) => (place + 1) % 3 === 1).length;
  await expect.poll(() => new Set(those.map(([id]) => id)).size, { timeout: 20_000 }).toBe(toEight);
  expect([...ours, ...those].every(([, version]) => version === 2)).toBe(true);
  expect(theirs).toEqual([]);
});

test.each([-600_000, 600_000])('changes are reported if the clock of the process is %d ms off', async (off) => {
  await makeDeliveries('one', [1, 2, 3], [7], '1 hour');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + off });
  onTestFinished(() => void vi.useRealTimers());
  const seen = await follow('one', null);
  await change('one', [1, 3]);
  await expect.poll(() => seen.map(([id]) => id)).toEqual([1, 3]);
});
