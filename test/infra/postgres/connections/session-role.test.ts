import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createPubsub } from '#src/infra/live/pubsub.ts';
import { createRedactor } from '#src/infra/logs/redact.ts';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { isOutage } from '#src/infra/postgres/outages.ts';
import { readEnv } from '#src/process/env.ts';
import { openDeps } from '#src/process/open-deps.ts';
import { cloneDatabase } from '#test/setup/database.ts';

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let pooler: Awaited<ReturnType<typeof startPooler>>;
/** Two ways in which a session starts without the options that a pool asks for. */
let urls: { pooler: string; 'options of its own in the URL': string };
beforeAll(async () => {
  clone = await cloneDatabase();
  const { host, port, user, database } = new pg.Client({ connectionString: clone.url });
  pooler = await startPooler(`${host}/.s.PGSQL.${port}`);
  urls = {
    pooler: `postgresql://${user}@127.0.0.1:${pooler.port}/${database}`,
    'options of its own in the URL': `${clone.url}&options=${encodeURIComponent('-c work_mem=8MB')}`,
  };
});
afterAll(async () => {
  await pooler.close();
  await clone.drop();
});

/** Passes everything on but the start-up options of each connection, as PgBouncer does with `ignore_startup_parameters = options`. */
async function startPooler(socketPath: string) {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(socketPath);
    client.once('data', (start: Buffer) => {
      upstream.write(withoutOptions(start));
      client.pipe(upstream);
    });
    upstream.pipe(client);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A start-up message is its length, the version of the protocol, and names and values that end with a zero byte each. */
function withoutOptions(start: Buffer): Buffer {
  const words = start.subarray(8).toString('utf8').split('\0');
  const at = words.findIndex((word, index) => index % 2 === 0 && word === 'options');
  if (at >= 0) words.splice(at, 2);
  const rest = Buffer.from(words.join('\0'));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + rest.length);
  head.writeUInt32BE(start.readUInt32BE(4), 4);
  return Buffer.concat([head, rest]);
}

const refusal = (role: string) =>
  new RegExp(`acts as postgres and not as ${role}, so row-level security would not keep tenants apart`);
const app = refusal('causeway_app');
const system = refusal('causeway_system');
const catchFailure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  );

const ways: [string, RegExp, (database: Database) => Promise<unknown>][] = [
  ['a reader', app, (database) => database.reader('acme-shop').workflow.count()],
  ['a raw query of a tenant', app, (database) => database.tenantQuery('acme-shop', { text: 'SELECT 1' })],
  ["a tenant's SQL", app, (database) => database.withTenantSql('acme-shop', (tx) => tx.query('SELECT 1'))],
  ['the system', system, (database) => database.system.query('SELECT 1')],
];

test.each(Object.keys({ pooler: 1, 'options of its own in the URL': 1 }) as (keyof typeof urls)[])(
  'nobody is served over sessions that act as the owner, for the reason of: %s',
  async (reason) => {
    const database = openDatabase({ url: urls[reason], poolSize: 2 });
    onTestFinished(() => database.close());
    for (const [, role, work] of ways) {
      const failure = await catchFailure(work(database));
      expect(failure).toSatisfy(isOutage);
      expect(String(failure)).toMatch(role);
    }
    await expect(database.assertRoles()).rejects.toThrow(/DATABASE_URL.*Connect to Postgres directly/);
  },
);

test('a process does not start with such sessions', async () => {
  const log = pino({ enabled: false });
  const env = readEnv({ DATABASE_URL: urls.pooler });
  const starting = openDeps({ env, url: urls.pooler, log, redactor: createRedactor(), purpose: 'worker' });
  await expect(starting).rejects.toThrow(/acts as postgres and not as causeway_/);
});

test('no listener uses such a session', async () => {
  const { promise: told, resolve } = Promise.withResolvers<Error>();
  const pubsub = createPubsub({ url: urls.pooler, onError: resolve });
  onTestFinished(() => pubsub.close());
  pubsub.subscribe({ name: 'any', parse: () => undefined, keys: () => [] }, '', {
    onEntry: () => undefined,
    onResync: () => undefined,
  });
  expect(String(await told)).toMatch(system);
});
