import { expect } from 'vitest';
import { noticeExpiries } from '#src/automation/credentials/expiry-notices.service.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
let counter = 0;

async function make(more: object, tenant = 'acme-shop'): Promise<number> {
  counter += 1;
  const body = { credential_type_slug: 'core:bearer', name: `C ${counter}`, config: { token: 'a-token' }, ...more };
  const made = await call(api, 'POST', '/credentials', { body, as: { tenant } });
  expect(made.status).toBe(201);
  return Number(made.body['id']);
}

interface Notice {
  tenant_id: string;
  topic: string;
  data: { credential_id: number; days_left: number; name: string };
}

/** The events published since the previous call. */
let seen = 0;
async function notices(): Promise<[topic: string, id: number, daysLeft: number][]> {
  while (await noticeExpiries(api.deps));
  const { rows } = await api.database.system.query<Notice & { id: number }>(
    `SELECT id, tenant_id, topic, data FROM outbox_events WHERE topic LIKE 'credential.%' AND id > $1 ORDER BY id`,
    [seen],
  );
  seen = rows.at(-1)?.id ?? seen;
  return rows.map(({ topic, data }) => [topic, data.credential_id, data.days_left]);
}

const change = (id: number, body: object) => call(api, 'PATCH', `/credentials/${id}`, { body });
/** Moves the expiry of a credential towards now. */
const approach = (id: number, days: number) =>
  api.database.withTenant(
    'acme-shop',
    (tx) => tx.$executeRaw`UPDATE credentials SET expires_at = ${new Date(inDays(days))} WHERE id = ${id}`,
  );

test('an expiry is announced 14 days before, 3 days before and on time, once each', async () => {
  const far = await make({ expires_at: inDays(15) });
  expect(await notices()).toEqual([]);
  for (const [days, told] of [
    [13.5, [['credential.expiring', far, 14]]],
    [12, []],
    [2.5, [['credential.expiring', far, 3]]],
    [1, []],
    [-0.1, [['credential.expired', far, 0]]],
    [-2, []],
  ] as const) {
    await approach(far, days);
    expect(await notices()).toEqual(told);
    expect(await notices()).toEqual([]);
  }
});

test('a changed expiry is announced again, an unchanged one is not', async () => {
  const end = inDays(2);
  const id = await make({ expires_at: end });
  expect(await notices()).toEqual([['credential.expiring', id, 2]]);
  await change(id, { expires_at: end });
  expect(await notices()).toEqual([]);
  await change(id, { expires_at: inDays(10) });
  expect(await notices()).toEqual([['credential.expiring', id, 10]]);
  await change(id, { expires_at: null });
  expect(await notices()).toEqual([]);
});

test('the expiry is read from a JWT, and from its replacement', async () => {
  const jwt = (days: number) => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    return `${part({ alg: 'none' })}.${part({ exp: Math.floor(Date.now() / 1_000 + days * 86_400) })}.c2ln`;
  };
  const readExpiry = async (id: number) => {
    const { data } = await api.graphql<{ credential: { expiresAt: string | null } }>(
      'query ($id: ID!) { credential(id: $id) { expiresAt } }',
      { id },
    );
    return data.credential.expiresAt;
  };
  const id = await make({ config: { token: jwt(1) } });
  expect(await notices()).toEqual([['credential.expiring', id, 1]]);
  await change(id, { config: { token: jwt(100) } });
  expect(Date.parse((await readExpiry(id)) ?? '')).toBeGreaterThan(Date.parse(inDays(99)));
  await change(id, { config: { test_url: 'https://x.example' } });
  expect(Date.parse((await readExpiry(id)) ?? '')).toBeGreaterThan(Date.parse(inDays(99)));
  await change(id, { config: { token: 'no-jwt' } });
  expect(await readExpiry(id)).toBeNull();
  for (const token of ['a.b.c', `e30.${btoa('{"exp":1e300}')}.x`, `e30.${btoa('{"exp":"soon"}')}.x`, `e30.bnVsbA.x`]) {
    expect(await readExpiry(await make({ config: { token } }))).toBeNull();
  }
});

test('several workers announce many expiries in batches, each once', async () => {
  const row = { credentialTypeSlug: 'core:bearer', publicConfig: {}, config: new Uint8Array([1]), configKeyVersion: 1 };
  for (const tenantId of ['acme-outlet', 'other-shop']) {
    await api.database.withTenant(tenantId, (tx) =>
      tx.credential.createMany({
        data: Array.from({ length: 700 }, (_, index) => ({
          ...row,
          tenantId,
          name: `M ${index}`,
          expiresAt: new Date(inDays(5)),
        })),
      }),
    );
  }
  const drain = async () => {
    while (await noticeExpiries(api.deps));
  };
  await Promise.all([drain(), drain(), drain()]);
  const told = await notices();
  expect(told).toHaveLength(1_400);
  const { rows } = await api.database.system.query(
    `SELECT count(DISTINCT (tenant_id, data->>'credential_id'))::int AS n FROM outbox_events WHERE (data->>'name') LIKE 'M %'`,
  );
  expect(rows).toEqual([{ n: 1_400 }]);
});
