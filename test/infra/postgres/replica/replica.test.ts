import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { observations } from '#src/infra/observations/observations.ts';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { type ReplicatedServer, startReplicatedServer } from '#test/setup/standby.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';

let server: ReplicatedServer;

beforeAll(async () => {
  server = await startReplicatedServer();
  await server.onPrimary(`INSERT INTO orgs (id, name) VALUES ('acme', 'Acme')`);
  for (const id of ['acme-shop', 'other-shop']) {
    await server.onPrimary(`INSERT INTO tenants (id, org_id, name) VALUES ('${id}', 'acme', '${id}')`);
    await server.onPrimary(`INSERT INTO state_namespaces (tenant_id, namespace) VALUES ('${id}', 'test')`);
  }
}, 60_000);

afterAll(() => server?.close());

const answeredBy: string[] = [];
observations.tenantRead.listen(({ by }) => answeredBy.push(by));

beforeEach(() => void answeredBy.splice(0));

function open(onError?: (error: Error) => void): Database {
  const { primaryUrl: url, replicaUrl } = server;
  const database = openDatabase({ url, replicaUrl, poolSize: 4, ...(onError && { onError }) });
  onTestFinished(() => database.close());
  return database;
}

const reads = (database: Database): Database => database.replica?.reads as Database;

let keys = 0;

/** Writes a row of the state store, and returns its key. */
async function write(database: Database, tenantId = 'acme-shop'): Promise<string> {
  const key = `key-${(keys += 1)}`;
  await database.withTenantSql(tenantId, (tx) =>
    tx.query(`INSERT INTO state_entries (tenant_id, namespace, key, value, size) VALUES ($1, 'test', $2, '1', 1)`, [
      tenantId,
      key,
    ]),
  );
  database.replica?.positions.wrote(tenantId);
  return key;
}

const findBySql = (database: Database, key: string, tenantId = 'acme-shop') =>
  database.tenantQuery<{ key: string }>(tenantId, {
    name: 'find-state',
    text: `SELECT key FROM state_entries WHERE tenant_id = $1 AND namespace = 'test' AND key = $2`,
    values: [tenantId, key],
  });

const findByPrisma = (database: Database, key: string, tenantId = 'acme-shop') =>
  database.reader(tenantId).stateEntry.findMany({ where: { tenantId, namespace: 'test', key }, select: { key: true } });

async function findByCopy(database: Database, key: string, tenantId = 'acme-shop'): Promise<{ key: string }[]> {
  const chunks: Buffer[] = [];
  const statement = `COPY (SELECT key FROM state_entries WHERE tenant_id = '${tenantId}' AND key = '${key}') TO STDOUT`;
  for await (const chunk of database.copyOut(tenantId, statement)) chunks.push(chunk);
  return Buffer.concat(chunks)
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((found) => ({ key: found }));
}

/** Reads until the replica answers: it is asked for the first time, or again after an outage, by nobody's read. */
async function warm(database: Database): Promise<void> {
  for (const deadline = Date.now() + 20_000; ; await delay(50)) {
    answeredBy.splice(0);
    await findBySql(reads(database), 'none');
    if (answeredBy[0] === 'replica') break;
    if (Date.now() > deadline) throw new Error('The replica does not answer.');
  }
  answeredBy.splice(0);
}

/** Makes questions to the primary about its position and its timelines wait until the returned function is called. */
async function blockQuestions(): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: server.primaryUrl });
  await client.connect();
  await client.query('BEGIN; LOCK TABLE server_timelines IN ACCESS EXCLUSIVE MODE');
  const unblock = () => client.end();
  onTestFinished(unblock);
  return unblock;
}

/** Ends the connection of a question that `blockQuestions` keeps waiting. */
async function breakQuestion(): Promise<void> {
  const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND query LIKE '%server_timelines%' AND pid <> pg_backend_pid()`;
  await expect.poll(async () => (await server.onPrimary(end)).length).toBeGreaterThan(0);
}

describe('A replica', () => {
  test.for([
    { by: 'SQL', find: findBySql },
    { by: 'Prisma', find: findByPrisma },
    { by: 'COPY', find: findByCopy },
  ])('answers reads by $by, of their tenant alone', startsProcesses, async ({ find }) => {
    const database = open();
    await warm(database);
    const key = await write(database);
    // A replica may need a moment to have the row; then the primary answers.
    await expect
      .poll(async () => {
        answeredBy.splice(0);
        expect(await find(reads(database), key)).toEqual([{ key }]);
        expect(await find(reads(database), key, 'other-shop')).toEqual([]);
        return answeredBy;
      })
      .toEqual(['replica', 'replica']);
  });

  test('that is behind is waited for, and otherwise left for the primary', startsProcesses, async () => {
    const database = open();
    await warm(database);
    onTestFinished(() => server.delayReplay(0));
    await server.delayReplay(500);
    for (const find of [findBySql, findByPrisma, findByCopy]) {
      const key = await write(database);
      expect(await find(reads(database), key)).toEqual([{ key }]);
    }
    expect(answeredBy).toEqual(['behind', 'behind', 'behind']);
    answeredBy.splice(0);
    // Nobody wrote in this tenant.
    await findBySql(reads(database), 'none', 'other-shop');
    expect(answeredBy).toEqual(['replica']);
  });

  test('that is more than two seconds behind answers nobody', startsProcesses, async () => {
    const database = open();
    await warm(database);
    onTestFinished(() => server.delayReplay(0));
    await server.delayReplay(3_600_000);
    await write(database, 'other-shop');
    for (const deadline = Date.now() + 10_000; answeredBy.at(-1) !== 'behind'; await delay(100)) {
      await findBySql(reads(database), 'none');
      if (Date.now() > deadline) throw new Error('It still answers.');
    }
    await expect.poll(() => database.replica?.lagSeconds() ?? 0, { timeout: 10_000 }).toBeGreaterThan(2);
  });

  test('that is away costs no answer, and answers again when it is back', startsProcesses, async () => {
    const database = open();
    await warm(database);
    const key = await write(database);
    await server.stopReplica();
    for (const find of [findBySql, findByPrisma, findByCopy])
      expect(await find(reads(database), key)).toEqual([{ key }]);
    expect(answeredBy).not.toContain('replica');
    await server.startReplica();
    await warm(database);
    expect(await findBySql(reads(database), key)).toEqual([{ key }]);
    expect(answeredBy).toEqual(['replica']);
  });

  test('that waits for a lock which it replays is left after a moment', startsProcesses, async () => {
    const database = open();
    const key = await write(database);
    await warm(database);
    await database.withSystem(async (tx) => {
      await tx.query('SET LOCAL ROLE postgres');
      await tx.query('LOCK TABLE state_entries IN ACCESS EXCLUSIVE MODE');
      await tx.query('SELECT pg_switch_wal()');
      await server.replayed();
      await server.onReplica('SELECT pg_wal_replay_pause()');
    });
    onTestFinished(async () => void (await server.onReplica('SELECT pg_wal_replay_resume()')));
    expect(await findBySql(reads(database), key)).toEqual([{ key }]);
    expect(answeredBy).toEqual(['failed']);
  });

  test.for([
    { by: 'SQL', find: findBySql },
    { by: 'Prisma', find: findByPrisma },
  ])('is not blamed for a question that the primary did not answer, by $by', startsProcesses, async ({ find }) => {
    const errors: Error[] = [];
    const database = open((error) => errors.push(error));
    await warm(database);
    const key = await write(database);
    const unblock = await blockQuestions();
    // Prisma starts a query only when it is awaited.
    const found = (async () => find(reads(database), key))();
    await breakQuestion();
    expect(await found).toEqual([{ key }]);
    await unblock();
    await server.replayed();
    // The primary may not have answered for more than two seconds.
    await database.replica?.positions.now();
    expect(await find(reads(database), key)).toEqual([{ key }]);
    expect(answeredBy).toEqual(['unknown', 'replica']);
    expect(errors).toEqual([]);
  });

  test('is not blamed if the primary does not say whether it follows', startsProcesses, async () => {
    const errors: Error[] = [];
    const database = open((error) => errors.push(error));
    await findBySql(database, 'none');
    await database.replica?.positions.now();
    const unblock = await blockQuestions();
    // This read opens the first connection to the standby, but does not wait for it.
    await findBySql(reads(database), 'none');
    await breakQuestion();
    await unblock();
    await warm(database);
    expect(errors).toEqual([]);
  });

  test('that cancels a copy in the middle is not asked for the next', startsProcesses, async () => {
    const database = open();
    const key = await write(database);
    await warm(database);
    const many = reads(database).copyOut('acme-shop', 'COPY (SELECT generate_series(1, 9000000)) TO STDOUT');
    await many.next();
    await server.onReplica(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'COPY%'`);
    await expect(
      (async () => {
        for (;;) if ((await many.next()).done) return;
      })(),
    ).rejects.toThrow();
    expect(answeredBy).toEqual(['replica']);
    expect(await findByCopy(reads(database), key)).toEqual([{ key }]);
    expect(answeredBy).toEqual(['replica']);
  });

  test('answers a tenant whose write another process reports by a position', startsProcesses, async () => {
    const [writer, reader] = [open(), open()];
    await warm(reader);
    onTestFinished(() => server.delayReplay(0));
    await server.delayReplay(500);
    const key = await write(writer);
    const position = await writer.replica?.positions.now();
    if (position) reader.replica?.positions.heard('acme-shop', position);
    expect(await findBySql(reads(reader), key)).toEqual([{ key }]);
    expect(answeredBy).toEqual(['behind']);
  });

  test('that is away has large totals counted, not remembered from what the primary remembers', async () => {
    const url = server.primaryUrl;
    const database = openDatabase({ url, replicaUrl: url, poolSize: 2 });
    onTestFinished(() => database.close());
    const count = async (from: Database) => {
      const text = 'SELECT 20000 + count(*) AS count FROM state_entries WHERE tenant_id = $1';
      const [row] = await from.tenantQuery('other-shop', { text, values: ['other-shop'], countsList: true });
      return Number(row?.['count']);
    };
    const before = await count(database);
    await write(database, 'other-shop');
    expect(await count(database)).toBe(before);
    expect(await count(reads(database))).toBe(before + 1);
    expect(answeredBy).toEqual(['away']);
  });

  test('is not read where it follows another server, however long its log is', startsProcesses, async () => {
    const other = await startReplicatedServer();
    onTestFinished(() => other.close());
    await other.onPrimary(`INSERT INTO orgs (id, name) VALUES ('acme', 'Acme')`);
    await other.onPrimary(`INSERT INTO tenants (id, org_id, name) VALUES ('acme-shop', 'acme', 'Shop')`);
    await other.onPrimary(`INSERT INTO state_namespaces (tenant_id, namespace) VALUES ('acme-shop', 'test')`);
    // As in a dump that was restored there.
    await other.onPrimary(`UPDATE server_timelines SET system = '1'`);
    const copied = openDatabase({ url: other.primaryUrl, poolSize: 2 });
    onTestFinished(() => copied.close());
    const foreign = await write(copied);
    for (let switched = 0; switched < 4; switched++)
      await other.onPrimary('SELECT pg_switch_wal(), pg_logical_emit_message(true, $$longer$$, $$log$$)');
    await other.replayed();
    const errors: Error[] = [];
    const { primaryUrl: url } = server;
    const { replicaUrl } = other;
    const database = openDatabase({ url, replicaUrl, poolSize: 2, onError: (error) => errors.push(error) });
    onTestFinished(() => database.close());
    for (const deadline = Date.now() + 5_000; errors.length === 0 && Date.now() < deadline; await delay(50))
      expect(await findBySql(reads(database), foreign)).toEqual([]);
    expect(answeredBy).not.toContain('replica');
    expect(errors.map(({ message }) => message).join()).toContain('leads to a standby of another server');
  });

  test('that was promoted is not read, even if its former primary rests', startsProcesses, async () => {
    const pair = await startReplicatedServer();
    onTestFinished(() => pair.close());
    const database = openDatabase({ url: pair.primaryUrl, replicaUrl: pair.replicaUrl, poolSize: 4 });
    onTestFinished(() => database.close());
    await warm(database);
    await pair.onReplica('SELECT pg_promote()');
    for (const find of [findBySql, findByPrisma, findByCopy]) expect(await find(reads(database), 'none')).toEqual([]);
    expect(answeredBy).toHaveLength(3);
    expect(answeredBy).not.toContain('replica');
  });

  test('is not read where the URL leads to a primary', startsProcesses, async () => {
    const errors: Error[] = [];
    const url = server.primaryUrl;
    const database = openDatabase({ url, replicaUrl: url, poolSize: 2, onError: (error) => errors.push(error) });
    onTestFinished(() => database.close());
    const key = await write(database);
    for (let tries = 0; tries < 3; tries++) {
      expect(await findBySql(reads(database), key)).toEqual([{ key }]);
      await delay(200);
    }
    expect(answeredBy).toEqual(['away', 'away', 'away']);
    expect(errors.map(({ message }) => message).join()).toContain('DATABASE_REPLICA_URL leads to a primary');
  });
});
