import { chmod, chown, copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#src/infra/embedded-postgres/embedded-postgres.ts';
import { copyCluster } from '#test/setup/cluster.ts';
import { freeAddress } from '#test/setup/free-port.ts';
import { certificates, failure, type SqlTester, sqlTester } from './sql-node.ts';

let folder: string;
let server: EmbeddedPostgres;
let owner: pg.Client;
let tester: SqlTester;
let ca: string;
/** A loopback address of its own, since the embedded server has the port of every Postgres. */
const at = { address: freeAddress(), port: 5432 };
const login = { database: 'postgres', username: 'shop', password: 'the/password+4711' };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-sql-'));
  const dataDir = join(folder, 'pg');
  await copyCluster(dataDir);
  const { uid, gid } = await stat(dataDir);
  for (const name of ['certificate.pem', 'key.pem']) {
    await copyFile(join(certificates, name), join(dataDir, name));
    await chmod(join(dataDir, name), 0o600);
    await chown(join(dataDir, name), uid, gid);
  }
  await writeFile(join(dataDir, 'pg_hba.conf'), 'local all all trust\nhost all all 127.0.0.0/8 scram-sha-256\n');
  await chown(join(dataDir, 'pg_hba.conf'), uid, gid);
  const tls = { ssl: 'on', ssl_cert_file: 'certificate.pem', ssl_key_file: 'key.pem' };
  server = await startEmbeddedPostgres({
    dataDir,
    settings: { listen_addresses: at.address, fsync: 'off', ...tls },
  });
  owner = new pg.Client({ connectionString: server.url() });
  await owner.connect();
  await owner.query(`
    CREATE ROLE shop LOGIN PASSWORD '${login.password}';
    CREATE TABLE orders (id bigint PRIMARY KEY, name text NOT NULL, total numeric(12, 2) CHECK (total >= 0));
    INSERT INTO orders SELECT n, 'SO-' || n, n FROM generate_series(1, 5) n;
    CREATE TABLE private (id int);
    GRANT SELECT, INSERT, UPDATE, DELETE ON orders TO shop;
    CREATE TABLE late (id int UNIQUE DEFERRABLE INITIALLY DEFERRED);
    GRANT ALL ON late TO shop;
    CREATE ROLE page LOGIN PASSWORD '${login.password}';
    CREATE SCHEMA page AUTHORIZATION page;
    CREATE TABLE page.orders (number text, total numeric(12, 2), placed_at timestamptz);
    INSERT INTO page.orders VALUES ('SO-1', 120, now()), ('SO-2', 250, '2026-03-02 05:15:00Z');
    GRANT SELECT ON page.orders TO page`);
  ca = await readFile(join(certificates, 'certificate.pem'), 'utf8');
  tester = sqlTester('core:postgres', at, { ...login, ca });
});
afterAll(async () => {
  await tester.egress.close();
  await owner.end();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const sql: SqlTester['sql'] = (...given) => tester.sql(...given);

describe('a statement of Postgres', () => {
  test('is tried by the test of its credential, which says what is wrong', async () => {
    expect(await tester.logIn()).toMatch(/answered a query/);
    const faults: [field: Record<string, string>, code: string][] = [
      [{ password: 'wrong' }, 'SQL_LOGIN'],
      [{ ca: '' }, 'SQL_TLS'],
      [{ database: 'nowhere' }, 'SQL_LOGIN'],
    ];
    for (const [field, code] of faults) expect(await failure(tester.logIn(field))).toMatchObject({ code });
  });

  test('reads rows with bound parameters, over a connection whose certificate is checked', async () => {
    const found = await sql('SELECT name, total FROM orders WHERE id = $1 OR name = $2', {
      parameters: [2, "x' OR '1'='1"],
    });
    expect(found.outputs).toEqual({ rows: [{ name: 'SO-2', total: '2.00' }], row_count: 1, truncated: false });
  });

  test.each([
    ['9007199254740993::bigint', '9007199254740993'],
    ['42::bigint', 42],
    ['1.10::numeric', '1.10'],
    ['0.5::float8', 0.5],
    ["'NaN'::float8", 'NaN'],
    ['true', true],
    ['null::int', null],
    ["date '2026-03-02'", '2026-03-02'],
    ["timestamp '2026-03-02 05:15:00.123'", '2026-03-02T05:15:00.123'],
    ["timestamptz '2026-03-02 06:15:00+01'", '2026-03-02T05:15:00Z'],
    ["interval '1 day 2 hours'", 'P1DT2H'],
    [`'{"id": 9007199254740993, "a": [1]}'::jsonb`, { id: '9007199254740993', a: [1] }],
    ["'\\x00ff'::bytea", 'AP8='],
    ["ARRAY['a', null, 'b,c']", ['a', null, 'b,c']],
    ['ARRAY[9007199254740993, 1]::bigint[]', ['9007199254740993', 1]],
    ["'3f1c2b00-0000-4000-8000-000000000000'::uuid", '3f1c2b00-0000-4000-8000-000000000000'],
  ])('answers %s exactly', async (expression, value) => {
    const { outputs } = await sql(`SELECT ${expression} AS v`);
    expect(outputs['rows']).toEqual([{ v: value }]);
  });

  test('writes in a transaction that is committed', async () => {
    const write = (statement: string, parameters: unknown[]) => sql(statement, { mode: 'write', parameters });
    const insert = 'INSERT INTO orders VALUES ($1, $2, $3) RETURNING id';
    expect((await write(insert, [10, 'new', '1.50'])).outputs).toMatchObject({ rows: [{ id: 10 }], row_count: 1 });
    expect((await write('UPDATE orders SET total = $1 WHERE id = $2', ['2.5', 10])).outputs).toMatchObject({
      rows: [],
      row_count: 1,
    });
    expect((await write('DELETE FROM orders WHERE id = $1', [10])).outputs).toMatchObject({ row_count: 1 });
  });

  test.each([
    ['an insert', "INSERT INTO orders VALUES (99, 'x', 1)", 'SQL_READ_ONLY'],
    ['a query that writes', 'WITH a AS (DELETE FROM orders RETURNING id) SELECT * FROM a', 'SQL_READ_ONLY'],
    ['a block', `DO $$ BEGIN SET TRANSACTION READ WRITE; DELETE FROM orders; END $$`, 'SQL_FAILED'],
    ['a block that commits', `DO $$ BEGIN COMMIT; DELETE FROM orders; END $$`, 'SQL_FAILED'],
    ['two statements', 'SELECT 1; DELETE FROM orders', 'SQL_SYNTAX'],
  ])('cannot write in the mode read by %s', async (_name, statement, code) => {
    expect(await failure(sql(statement))).toMatchObject({ code, retryable: false });
    expect((await owner.query('SELECT count(*)::int AS n FROM orders')).rows).toEqual([{ n: 5 }]);
  });

  test('is one statement in the mode write as well', async () => {
    const two = "INSERT INTO orders VALUES (98, 'x', 1); DELETE FROM orders";
    expect(await failure(sql(two, { mode: 'write' }))).toMatchObject({ code: 'SQL_SYNTAX' });
    expect((await owner.query('SELECT count(*)::int AS n FROM orders')).rows).toEqual([{ n: 5 }]);
  });

  test.each([
    ['SELECT *\nFROM nothing', {}, { code: 'SQL_SYNTAX', details: { sqlstate: '42P01', line: 2, column: 6 } }],
    ['SELECT * FROM private', {}, { code: 'SQL_DENIED' }],
    [
      "INSERT INTO orders VALUES (1, 'x', 1)",
      { mode: 'write' },
      { code: 'SQL_CONSTRAINT', details: { constraint: 'orders_pkey' } },
    ],
    ["INSERT INTO orders VALUES (97, 'x', -1)", { mode: 'write' }, { code: 'SQL_CONSTRAINT' }],
    [
      'INSERT INTO late VALUES (1), (1)',
      { mode: 'write' },
      { code: 'SQL_CONSTRAINT', details: { constraint: 'late_id_key' } },
    ],
    ["SELECT 'x'::int", {}, { code: 'SQL_DATA' }],
    ['SELECT $1::int', {}, { code: 'SQL_PARAMETERS', retryable: false }],
    ['SELECT 1 AS a, 2 AS a', {}, { code: 'SQL_COLUMNS', message: expect.stringMatching(/named "a"\. Name .* AS\./) }],
    ['SELECT id, id FROM orders WHERE false', {}, { code: 'SQL_COLUMNS', retryable: false }],
    ["INSERT INTO orders VALUES (96, 'x', 1) RETURNING id, id", { mode: 'write' }, { code: 'SQL_COLUMNS' }],
    ['SELECT pg_sleep(30)', { timeout_ms: 100 }, { code: 'SQL_TIMEOUT', retryable: true }],
    ['SELECT {{ trigger.payload.id }}', {}, { code: 'SQL_SYNTAX' }],
  ])('%s fails with a code of its kind', async (statement, config, expected) => {
    expect(await failure(sql(statement, config))).toMatchObject(expected);
  });
});

test('the example of the page on workflows has the outputs that it shows', async () => {
  const page = await readFile(new URL('../../../../docs/workflows.md', import.meta.url), 'utf8');
  const read = (role: string) =>
    JSON.parse(new RegExp(`^\`\`\`json ${role}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)?.[1] ?? '');
  const { statement, ...config } = read('sql') as { statement: string };
  const found = await sql(statement, config, { username: 'page' }, { payload: { total: 120 } });
  expect(found.outputs).toEqual(read('sql-outputs'));
});

describe('a large result', () => {
  // In the list of columns the rows are made one by one, and in FROM all before the first.
  const many = "SELECT generate_series(1, 1000000000) AS n, repeat('x', 1000) AS text";

  test('fails the step, or is cut off where the config says so', async () => {
    expect(await failure(sql(many, { max_rows: 10 }))).toMatchObject({ code: 'SQL_TOO_LARGE' });
    const { outputs } = await sql(many, { max_rows: 10, on_limit: 'stop' });
    expect(outputs).toMatchObject({ row_count: 10, truncated: true });
  });

  test('is cut off at its size as well', async () => {
    const { outputs } = await sql(many, { max_rows: 100_000, on_limit: 'stop' });
    expect(outputs['truncated']).toBe(true);
    const size = JSON.stringify(outputs).length;
    expect(size).toBeGreaterThan(3_500_000);
    expect(size).toBeLessThan(4 * 1024 * 1024);
  });

  test('is not read on when one row alone is too large', async () => {
    const huge = await failure(sql("SELECT repeat('x', 200000000) AS text", { on_limit: 'stop' }));
    expect(huge).toMatchObject({ code: 'SQL_TOO_LARGE', message: expect.stringContaining('64 MiB') });
  });

  test('is streamed into a file, however large it is', async () => {
    const all = "SELECT generate_series(1, 150000) AS n, repeat('x', 1000) AS text";
    const { outputs } = await sql(all, { answer: 'csv', file_name: 'all.csv' });
    expect(outputs).toMatchObject({ row_count: 150_000, truncated: false });
    const { file, size, name } = outputs['file'] as { file: string; size: number; name: string };
    expect([file.slice(0, 10), name]).toEqual(['n,text\n1,x', 'all.csv']);
    expect(size).toBeGreaterThan(150_000_000);
    const one = await failure(sql("SELECT repeat('x', 200000000) AS text", { answer: 'csv' }));
    expect(one).toMatchObject({ code: 'SQL_TOO_LARGE' });
  });

  test('of a statement that writes does not undo its work when it is cut off', async () => {
    const insert = "INSERT INTO orders SELECT n, 'many', 0 FROM generate_series(1001, 1020) n RETURNING id";
    const { outputs } = await sql(insert, { mode: 'write', max_rows: 5, on_limit: 'stop' });
    expect(outputs).toMatchObject({ truncated: true, row_count: 20 });
    const deleted = await sql("DELETE FROM orders WHERE name = 'many'", { mode: 'write' });
    expect(deleted.outputs).toMatchObject({ row_count: 20 });
  });
});

describe('a connection', () => {
  test('is refused without a certificate that its authority has issued for its name', async () => {
    const other = { host: 'other.example' };
    expect(await failure(sql('SELECT 1', {}, other))).toMatchObject({ code: 'SQL_TLS', retryable: false });
    expect(await failure(sql('SELECT 1', {}, { ca: '' }))).toMatchObject({ code: 'SQL_TLS', retryable: false });
    const { outputs } = await sql('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    expect(outputs['rows']).toEqual([{ ssl: true }]);
    const plain = await sql('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()', {}, { tls: 'off' });
    expect(plain.outputs['rows']).toEqual([{ ssl: false }]);
  });

  test.each([
    ['a wrong password', { password: 'other' }, { code: 'SQL_LOGIN', retryable: false }],
    ['a database that is not there', { database: 'other' }, { code: 'SQL_LOGIN', retryable: false }],
    ['an address that egress refuses', { host: '10.0.0.1' }, { code: 'SQL_REFUSED_ADDRESS', retryable: false }],
    ['no password', { password: '' }, { code: 'CREDENTIAL_UNUSABLE' }],
    ['a port that is not a number', { port: 'x' }, { code: 'CREDENTIAL_UNUSABLE' }],
  ])('with %s fails', async (_name, credential, expected) => {
    expect(await failure(sql('SELECT 1', {}, credential))).toMatchObject(expected);
  });

  test('is closed when the step is stopped', async () => {
    const stop = new AbortController();
    const running = failure(sql('SELECT pg_sleep(30)', {}, {}, { signal: stop.signal }));
    await expect
      .poll(() =>
        owner
          .query("SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'")
          .then(({ rowCount }) => rowCount),
      )
      .toBe(1);
    stop.abort();
    expect(await running).toMatchObject({ code: 'SQL_STOPPED' });
  });

  test('that is lost before the commit may be repeated, since nothing was written', async () => {
    const writing = failure(sql('INSERT INTO orders SELECT 50, pg_sleep(30)::text, 1', { mode: 'write' }));
    const find = "FROM pg_stat_activity WHERE query LIKE 'INSERT INTO orders SELECT 50%'";
    await expect.poll(() => owner.query(`SELECT 1 ${find}`).then(({ rowCount }) => rowCount)).toBe(1);
    await owner.query(`SELECT pg_terminate_backend(pid) ${find}`);
    expect(await writing).toMatchObject({ code: 'SQL_UNAVAILABLE', retryable: true });
    expect((await owner.query('SELECT 1 FROM orders WHERE id = 50')).rowCount).toBe(0);
  });

  test.each([
    ['nothing of its protocol', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['messages that are cut off', Buffer.from([0x52, 0, 0, 0, 4, 0x52, 0, 0, 0, 5, 1])],
    ['an end', null],
  ])('to a server that answers %s fails the step alone', async (_name, bytes) => {
    const hostile = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => (bytes ? socket.write(bytes) : socket.end()));
    });
    await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void hostile.close());
    const away = sqlTester(
      'core:postgres',
      { address: '127.0.0.1', port: (hostile.address() as AddressInfo).port },
      { ...login, tls: 'off' },
    );
    onTestFinished(() => away.egress.close());
    const found = await failure(away.sql('SELECT 1', { timeout_ms: 500 }));
    expect(found).toMatchObject({ code: expect.stringMatching(/^SQL_(PROTOCOL|DISCONNECTED|TIMEOUT|FAILED)$/) });
  });
});
