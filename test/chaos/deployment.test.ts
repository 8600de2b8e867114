import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { createProduct } from '#src/commerce/products/products.service.ts';
import { declarations } from '#src/domains/domains.ts';
import { createApiKey } from '#src/identity/api-keys/api-keys.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { secret } from '#test/commerce/inbound/senders.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';
import { adminHeaders, type OwnPostgres, startOwnPostgres } from './deployment.ts';
import { expectLegal, type History, recordHistory } from './history.ts';
import { callEndpoint, startCalls } from './inbound-calls.ts';
import { acceptedRuns, startLoad } from './load.ts';
import { articles, openOrders } from './orders.ts';
import { type OwnProcess, startApi, startWorker } from './processes.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { volume } from './volume.ts';
import { expectSound, type FiredWorkflow, mixedWorkflows, untilAllEnded } from './workload.ts';

const tenantId = 'acme-shop';
const actor = systemActor('acme', tenantId);

// One deployment for all: a start of an API and a worker is three seconds of CPU.
let postgres: OwnPostgres;
let receiver: Receiver;
let dataDir: string;
let api: Awaited<ReturnType<typeof startApi>>;
let worker: OwnProcess;
let admin: Record<string, string>;
let key: Record<string, string>;
let workflows: FiredWorkflow[];
let readHistory: () => Promise<History>;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'causeway-chaos-api-'));
  [postgres, receiver] = await Promise.all([startOwnPostgres(), startReceiver()]);
  readHistory = await recordHistory(postgres.url);
  [api, worker] = await Promise.all([
    startApi({ databaseUrl: postgres.url, dataDir }),
    startWorker({ databaseUrl: postgres.url, allow: receiver.address }),
  ]);
  const keyScopes = declarations.scopes.map(({ name }) => name);
  const made = await createApiKey({ database: postgres.database, keyScopes }, actor, { name: 'ERP', scopes: ['*'] });
  key = { 'x-platform-tenant': tenantId, 'x-platform-api-key': made.secret };
  admin = await adminHeaders(dataDir, api.port);
  workflows = await mixedWorkflows(postgres, receiver);
});
afterAll(async () => {
  for (const process of [api, worker]) process.signal('SIGKILL');
  await Promise.all([api.exited, worker.exited]);
  await receiver.close();
  await postgres.close();
  await rm(dataDir, { recursive: true, force: true });
});

const read = (text: string): Promise<object[]> => postgres.database.tenantQuery(tenantId, { text });

const fireWebhooks = (options: { clients: number; pauseMs: number; after?: number }) =>
  startLoad({ url: api.url, handles: workflows.map(({ handle }) => handle), headers: admin, ...options });

/** Closes the connections of all processes to the database, like a failover or an operator does. */
async function endConnections(): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'causeway-%'`);
  await client.end();
}

const outageWarning = 'The database is away; requests were refused.';

describe('Postgres restarted', () => {
  test(
    'under load is survived by every process, and no accepted run is lost or duplicated',
    { timeout: 240_000 },
    async () => {
      const load = fireWebhooks({ clients: 6, pauseMs: 60 });
      for (const how of ['fast', 'immediate', 'kill'] as const) {
        await delay(1_000);
        await postgres.restart(how, 1_500);
      }
      // The end of the load is served again.
      const isServed = () => load.answers.slice(-20).every(({ status }) => status === 202);
      const answered = load.answers.length;
      await expect.poll(() => load.answers.length > answered + 20 && isServed(), { timeout: 60_000 }).toBe(true);
      await load.stop();

      expect(api.isAlive()).toBe(true);
      expect(worker.isAlive()).toBe(true);
      const refused = load.answers.filter(({ status }) => status !== 202);
      expect(refused.length).toBeGreaterThan(0);
      for (const { status, body } of refused) {
        expect([500, 503]).toContain(status);
        expect(Object.keys(body ?? {})).toEqual(['message']);
      }
      // A request is logged by itself, or counted in the warning of its second.
      const alone = refused.filter(({ requestId }) => api.log.some((line) => line['requestId'] === requestId));
      const counted = () =>
        api.log.reduce((sum, line) => (line['msg'] === outageWarning ? sum + Number(line['count']) : sum), 0);
      await expect.poll(counted, { timeout: 10_000 }).toBeGreaterThanOrEqual(refused.length - alone.length);

      await untilAllEnded(postgres, 90_000);
      const sound = await expectSound(postgres, receiver);
      // A request is repeated only where its answer could not be recorded: not at all, as no worker has died.
      expect(sound.repeats).toEqual([]);
      const accepted = acceptedRuns(load.answers);
      const { rows: kept } = await postgres.database.system.query<{ id: number }>(
        'SELECT id FROM runs WHERE id = ANY($1::bigint[])',
        [accepted],
      );
      expect(kept.length).toBe(accepted.length);
      const { rows: doubled } = await postgres.database.system.query(
        `SELECT payload -> 'body' ->> 'n' AS n, count(*)::int FROM run_payloads p
       JOIN runs r ON r.tenant_id = p.tenant_id AND r.id = p.run_id AND r.trigger_type = 'webhook' GROUP BY 1 HAVING count(*) > 1`,
      );
      expect(doubled).toEqual([]);
      process.stdout.write(
        `${JSON.stringify({ test: 'Postgres restarted three times', accepted: accepted.length, refused: refused.length, runs: sound.runs, steps: sound.steps })}\n`,
      );
    },
  );

  test(
    'during orders and bookings loses and duplicates nothing if the same commands are repeated',
    { timeout: 240_000 },
    async () => {
      for (const sku of articles)
        await createProduct({ database: postgres.database } as never, actor, { sku, name: sku });
      const clients = 8;
      const ordersOfClient = volume('ordersOfClient');
      const orders = openOrders({ url: api.url, keyHeaders: key, adminHeaders: admin, clients, ordersOfClient });
      let done = 0;
      const first = orders.placeAll(() => (done += 1));
      for (const [how, share] of [
        ['fast', 0.1],
        ['immediate', 0.4],
        ['kill', 0.7],
      ] as const) {
        await expect.poll(() => done, { timeout: 60_000 }).toBeGreaterThan(share * clients * ordersOfClient);
        const before = orders.refused();
        await postgres.restart(how, 500);
        // All of them are still running.
        expect(orders.refused()).toBeGreaterThan(before);
      }
      const answers = await first;
      expect(api.isAlive()).toBe(true);
      // Repeats everything: each command gets its first response.
      expect(await orders.placeAll()).toEqual(answers);

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
        `${JSON.stringify({ test: 'Postgres restarted under orders', commands: answers.length * 3, refused: orders.refused() })}\n`,
      );
    },
  );

  test('makes an inbound endpoint answer 503, and store a repeated call once', { timeout: 240_000 }, async () => {
    const made = await fetch(`${api.url}/v1/webhooks/inbound-endpoints`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...key },
      body: JSON.stringify({ name: 'ERP', config: { secret }, topic: 'erp.order.booked' }),
    });
    const { endpoint_id: endpoint } = (await made.json()) as { endpoint_id: string };
    const clients = 8;
    const url = `${api.url}/in/${endpoint}`;
    const calls = startCalls({ url, clients });
    await calls.untilTaken(100);
    for (let kills = 0; kills < 2; kills += 1) {
      await endConnections();
      await calls.untilTaken(50);
    }
    for (const how of ['fast', 'immediate', 'kill'] as const) {
      await postgres.restart(how, 300);
      await calls.untilTaken(50);
    }
    await calls.stop();

    const { taken, refusals } = calls;
    expect(api.isAlive()).toBe(true);
    expect(refusals.length).toBeGreaterThan(0);
    expect([...new Set(refusals.map((refusal) => JSON.stringify(refusal)))]).toEqual([expect.stringContaining('503')]);
    const [stored] = await read(
      `SELECT (SELECT count(*)::int FROM inbound_calls) AS calls,
          (SELECT count(*)::int FROM outbox_events WHERE topic = 'erp.order.booked') AS events`,
    );
    expect(stored).toEqual({ calls: taken.length, events: taken.length });
    // A stored call is known, and has no second effect.
    for (const id of taken.slice(-clients)) {
      expect(await (await callEndpoint(url, id)).json()).toEqual({ event_id: id, duplicate: true });
    }
    process.stdout.write(
      `${JSON.stringify({ test: 'calls under restarts', taken: taken.length, refused: refusals.length })}\n`,
    );
  });
});

describe('SIGTERM', () => {
  test('lets the API answer every received request, and its accepted runs end', startsProcesses, async () => {
    // Numbers that no request before has carried.
    const load = fireWebhooks({ clients: 8, pauseMs: 3, after: 1_000_000 });
    while (load.answers.length < 150) await delay(20);
    api.signal('SIGTERM');
    const askedAt = Date.now();
    expect(await api.exited).toBe(0);
    const drainMs = Date.now() - askedAt;
    await load.stop();

    const { answers } = load;
    expect(answers.filter(({ status }) => status === 202).length).toBeGreaterThan(100);
    expect(answers.filter(({ status }) => status !== 202 && status !== 0)).toEqual([]);
    // Without an answer remain those that came when the door was closed, and connections that the kernel had taken but the
    // process had not: odd numbers have a connection of their own. Nothing was done for any of them.
    const unanswered = answers.filter(({ status }) => status === 0);
    expect(
      unanswered.filter(({ fault, n }) => fault !== 'ECONNREFUSED' && !(fault === 'ECONNRESET' && n % 2 === 1)),
    ).toEqual([]);
    const { rows: done } = await postgres.database.system.query(
      `SELECT payload -> 'body' ->> 'n' AS n FROM run_payloads WHERE (payload -> 'body' ->> 'n')::int = ANY($1::int[])`,
      [unanswered.map(({ n }) => n)],
    );
    expect(done).toEqual([]);
    expect(drainMs).toBeLessThan(10_000);

    await untilAllEnded(postgres, 60_000);
    await expectSound(postgres, receiver);
    const history = await readHistory();
    expectLegal(history);
    const accepted = acceptedRuns(answers);
    for (const id of accepted) expect(history.has(id), `run ${id}`).toBe(true);
  });
});
