import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parts } from '#src/domains/domains.ts';
import { createApiKey } from '#src/identity/api-keys/api-keys.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { platformHeaders, secret } from '#test/commerce/inbound/senders.ts';
import { type OwnPostgres, startOwnPostgres } from './deployment.ts';
import { startApi } from './processes.ts';

const clients = 8;
const body = '{"number":"1001"}';

let postgres: OwnPostgres;
let dataDir: string;
let api: Awaited<ReturnType<typeof startApi>>;
let endpoint: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'causeway-chaos-api-'));
  postgres = await startOwnPostgres();
  api = await startApi({ databaseUrl: postgres.url, dataDir });
  const { database } = postgres;
  const keyScopes = parts.scopes.map(({ name }) => name);
  const key = await createApiKey({ database, keyScopes }, systemActor('acme', 'acme-shop'), {
    name: 'ERP',
    scopes: ['*'],
  });
  const made = await fetch(`${api.url}/v1/webhooks/inbound-endpoints`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-platform-tenant': 'acme-shop',
      'x-platform-api-key': key.secret,
    },
    body: JSON.stringify({ name: 'ERP', config: { secret }, topic: 'erp.order.booked' }),
  });
  ({ endpoint_id: endpoint } = (await made.json()) as { endpoint_id: string });
});
afterAll(async () => {
  api.signal('SIGKILL');
  await api.exited;
  await postgres.close();
  await rm(dataDir, { recursive: true, force: true });
});

const call = (id: string): Promise<Response> =>
  fetch(`${api.url}/in/${endpoint}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...platformHeaders(body, { id }) },
    body,
  });

/** Ends the API's connections to the database, as a failover or an operator does. */
async function endConnections(): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'causeway-%'`);
  await client.end();
}

describe('An inbound endpoint whose database goes away', () => {
  test('answers 503 until it is back, and stores once what its sender repeats', { timeout: 240_000 }, async () => {
    const refusals: { status: number; body: object }[] = [];
    const taken: string[] = [];
    const stopping = new AbortController();
    /** Sends each event until it is taken, as a sender does that may not lose any. */
    const client = async (name: number): Promise<void> => {
      for (let n = 0; !stopping.signal.aborted; n += 1) {
        const id = `${name}/${n}`;
        for (let answer = await call(id); ; answer = await call(id)) {
          const answered = (await answer.json()) as object;
          if (answer.status === 202) break;
          refusals.push({ status: answer.status, body: answered });
          await delay(20);
        }
        taken.push(id);
      }
    };
    const untilTaken = async (more: number): Promise<void> => {
      const before = taken.length;
      await expect.poll(() => taken.length, { timeout: 60_000 }).toBeGreaterThan(before + more);
    };
    const sending = Promise.all(Array.from({ length: clients }, (_, name) => client(name)));
    await untilTaken(100);
    for (let kills = 0; kills < 5; kills += 1) {
      await endConnections();
      await untilTaken(50);
    }
    for (const how of ['fast', 'immediate', 'kill'] as const) {
      await postgres.restart(how, 300);
      await untilTaken(50);
    }
    stopping.abort();
    await sending;

    expect(api.isAlive()).toBe(true);
    expect(refusals.length).toBeGreaterThan(0);
    expect([...new Set(refusals.map((refusal) => JSON.stringify(refusal)))]).toEqual([expect.stringContaining('503')]);
    const [stored] = await postgres.database.tenantQuery('acme-shop', {
      text: `SELECT (SELECT count(*)::int FROM inbound_calls) AS calls,
          (SELECT count(*)::int FROM outbox_events WHERE topic = 'erp.order.booked') AS events`,
    });
    expect(stored).toEqual({ calls: taken.length, events: taken.length });
    // What was taken is known, and has no second effect.
    for (const id of taken.slice(-clients)) {
      expect(await (await call(id)).json()).toEqual({ event_id: id, duplicate: true });
    }
    process.stdout.write(
      `${JSON.stringify({ test: 'calls under restarts', taken: taken.length, refused: refusals.length })}\n`,
    );
  });
});
