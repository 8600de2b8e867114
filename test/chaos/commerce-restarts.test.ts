import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { createProduct } from '#src/commerce/products/products.service.ts';
import { parts } from '#src/domains/domains.ts';
import { createApiKey } from '#src/identity/api-keys/api-keys.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { adminHeaders, type OwnPostgres, startOwnPostgres } from './deployment.ts';
import { startApi } from './processes.ts';
import { volume } from './volume.ts';

const articles = ['MUG', 'TEA', 'POT'];
const clients = 8;
const ordersOfClient = volume('ordersOfClient');

let postgres: OwnPostgres;
let dataDir: string;
let api: Awaited<ReturnType<typeof startApi>>;
let headers: Record<string, string>;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'causeway-chaos-api-'));
  postgres = await startOwnPostgres();
  const { database } = postgres;
  const actor = systemActor('acme', 'acme-shop');
  for (const sku of articles) await createProduct({ database } as never, actor, { sku, name: sku });
  api = await startApi({ databaseUrl: postgres.url, dataDir });
  const keyScopes = parts.scopes.map(({ name }) => name);
  const { secret } = await createApiKey({ database, keyScopes }, actor, { name: 'ERP', scopes: ['*'] });
  headers = {
    'content-type': 'application/json',
    'x-platform-tenant': 'acme-shop',
    'x-platform-api-key': secret,
  };
});
afterAll(async () => {
  api.signal('SIGKILL');
  await api.exited;
  await postgres.close();
  await rm(dataDir, { recursive: true, force: true });
});

interface Sent {
  status: number;
  body: Record<string, never>;
}

let refused = 0;

/** Sends a command again and again until it is answered, as an integration does that cannot know whether it was heard. */
async function until(send: () => Promise<Response>): Promise<Sent> {
  for (;;) {
    try {
      const answer = await send();
      const body = (await answer.json()) as Sent['body'];
      const isOutage = answer.status >= 500 || ('data' in body && body['data'] === null);
      if (!isOutage) return { status: answer.status, body };
    } catch {
      // The connection broke, or the answer did.
    }
    refused += 1;
    await delay(100);
  }
}

const rest = (path: string, body: object): Promise<Sent> =>
  until(() => fetch(`${api.url}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) }));

/** Everything one client does with its nth order: goods come in, the order is placed, and the ERP cancels or completes it. */
async function command(client: number, n: number, admin: Record<string, string>): Promise<string> {
  const name = `${client}/${n}`;
  const sku = articles[n % articles.length] as string;
  const booked = await rest('/inventories/movements', {
    sku,
    kind: 'receipt',
    quantity: '2',
    reference: `receipt/${name}`,
  });
  const input = {
    currency: 'EUR',
    externalKey: name,
    positions: [{ sku, quantity: '1', unitPrice: '1.00' }],
  };
  const query = `mutation ($input: CreateOrderInput!) { createOrder(input: $input) {
    ... on CreateOrderPayload { order { databaseId } } ... on Error { code message } } }`;
  const placed = await until(() =>
    fetch(`${api.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...admin },
      body: JSON.stringify({ query, variables: { input } }),
    }),
  );
  const id = (placed.body as { data?: { createOrder?: { order?: { databaseId: number } } } }).data?.createOrder?.order
    ?.databaseId;
  expect(id, JSON.stringify(placed.body)).toEqual(expect.any(Number));
  const action = n % 2 === 0 ? 'complete' : 'cancel';
  const acted = await rest(`/orders/${id}/${action}`, {});
  expect([booked.status < 300, acted.status]).toEqual([true, 200]);
  return `${booked.body['id']} ${id} ${JSON.stringify(acted.body)}`;
}

async function runAll(admin: Record<string, string>, done?: () => void): Promise<string[]> {
  const all = Array.from({ length: clients }, async (_, client) => {
    const answers: string[] = [];
    for (let n = 0; n < ordersOfClient; n += 1) {
      answers.push(await command(client, n, admin));
      done?.();
    }
    return answers;
  });
  return (await Promise.all(all)).flat();
}

const read = (text: string): Promise<object[]> => postgres.database.tenantQuery('acme-shop', { text });

describe('Postgres restarted under orders and stock', () => {
  test('loses and doubles nothing, where the same commands are sent again', { timeout: 240_000 }, async () => {
    const admin = await adminHeaders(dataDir, api.port);
    let done = 0;
    const first = runAll(admin, () => (done += 1));
    for (const [how, share] of [
      ['fast', 0.1],
      ['immediate', 0.4],
      ['kill', 0.7],
    ] as const) {
      await expect.poll(() => done, { timeout: 60_000 }).toBeGreaterThan(share * clients * ordersOfClient);
      const before = refused;
      await postgres.restart(how, 500);
      // All of them are at it still.
      expect(refused).toBeGreaterThan(before);
    }
    const answers = await first;
    expect(api.isAlive()).toBe(true);
    expect(refused).toBeGreaterThan(0);
    // All of it once more: each command answers what it did the first time.
    expect(await runAll(admin)).toEqual(answers);

    const half = (clients * ordersOfClient) / 2;
    expect(await read('SELECT status, count(*)::int AS orders FROM orders GROUP BY status ORDER BY status')).toEqual([
      { status: 'cancelled', orders: half },
      { status: 'completed', orders: half },
    ]);
    expect(
      await read(
        `SELECT topic, count(*)::int AS events FROM outbox_events WHERE topic LIKE 'order.%' GROUP BY topic ORDER BY topic`,
      ),
    ).toEqual([
      { topic: 'order.acknowledged', events: half },
      { topic: 'order.cancelled', events: half },
      { topic: 'order.completed', events: half },
      { topic: 'order.created', events: 2 * half },
    ]);
    const there = { on_hand: 2 * 2 * half - half, reserved: 0 };
    expect(
      await read('SELECT sum(on_hand)::int AS on_hand, sum(reserved)::int AS reserved FROM stock_balances'),
    ).toEqual([there]);
    expect(
      await read('SELECT sum(delta)::int AS on_hand, sum(reserved_delta)::int AS reserved FROM stock_movements'),
    ).toEqual([there]);
    let out = '';
    const io = {
      out: (text: string) => void (out += text),
      err: () => undefined,
      env: { DATABASE_URL: postgres.url, NODE_ENV: 'test' },
      cwd: process.cwd(),
    };
    expect([await runCauseway(['stock', 'verify'], io), out]).toEqual([0, expect.stringContaining('All balances')]);
    process.stdout.write(
      `${JSON.stringify({ test: 'Postgres restarted under orders', commands: answers.length * 3, refused })}\n`,
    );
  });
});
