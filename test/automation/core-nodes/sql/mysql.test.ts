import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Mariadb, mariadbIsMissing, skipped, startMariadb } from '#test/setup/mariadb.ts';
import { certificates, failure, type SqlTester, sqlTester } from './sql-node.ts';

let server: Mariadb;
let tester: SqlTester;
const login = { database: 'shop', username: 'shop', password: 'the/password+4711' };

/** One statement a line, as the server reads them. */
const statements = `CREATE DATABASE shop;
CREATE USER 'shop'@'%' IDENTIFIED BY '${login.password}';
CREATE TABLE shop.orders (id bigint PRIMARY KEY, name varchar(40) NOT NULL, total decimal(12, 2), CHECK (total >= 0)) ENGINE=InnoDB;
INSERT INTO shop.orders SELECT seq, concat('SO-', seq), seq FROM shop.seq_1_to_5;
GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, EXECUTE ON shop.* TO 'shop'@'%';
CREATE PROCEDURE shop.wipe() DELETE FROM shop.orders;
CREATE DATABASE other;
CREATE TABLE other.private (id int);
`;

beforeAll(async () => {
  if (mariadbIsMissing) return;
  server = await startMariadb(certificates, statements);
  const ca = await readFile(join(certificates, 'certificate.pem'), 'utf8');
  tester = sqlTester('core:mysql', { address: '127.0.0.1', port: server.port }, { ...login, ca });
});
afterAll(async () => {
  await tester?.egress.close();
  await server?.stop();
});

const sql: SqlTester['sql'] = (...given) => tester.sql(...given);
const write = (statement: string, parameters: unknown[] = [], more: object = {}) =>
  sql(statement, { mode: 'write', parameters, ...more });
const countOrders = async () => (await sql('SELECT count(*) AS n FROM orders')).outputs['rows'];

describe.skipIf(mariadbIsMissing)(`a statement of MariaDB${skipped}`, () => {
  test('is tried by the test of its credential, which says what is wrong', async () => {
    expect(await tester.logIn()).toMatch(/answered a query/);
    const faults: [field: Record<string, string>, code: string][] = [
      [{ password: 'wrong' }, 'SQL_LOGIN'],
      [{ ca: '' }, 'SQL_TLS'],
      [{ database: 'nowhere' }, 'SQL_DENIED'],
    ];
    for (const [field, code] of faults) expect(await failure(tester.logIn(field))).toMatchObject({ code });
  });

  test('reads rows with bound parameters, over a connection whose certificate is checked', async () => {
    const found = await sql('SELECT name, total FROM orders WHERE id = ? OR name = ? LIMIT ?', {
      parameters: [2, "x' OR '1'='1", 3],
    });
    expect(found.outputs).toEqual({ rows: [{ name: 'SO-2', total: '2.00' }], row_count: 1, truncated: false });
    const { outputs } = await sql("SHOW STATUS LIKE 'Ssl_version'");
    expect(outputs['rows']).toEqual([{ Variable_name: 'Ssl_version', Value: expect.stringMatching(/^TLSv/) }]);
  });

  test.each([
    ['CAST(9007199254740993 AS signed)', '9007199254740993'],
    ['CAST(42 AS signed)', 42],
    ['CAST(1.10 AS decimal(10,2))', '1.10'],
    ['CAST(0.5 AS double)', 0.5],
    ['null', null],
    ["CAST('2026-03-02' AS date)", '2026-03-02'],
    ["CAST('2026-03-02 05:15:00' AS datetime)", '2026-03-02T05:15:00'],
    ['FROM_UNIXTIME(0)', '1970-01-01T00:00:00'],
    ["CAST('05:15:00' AS time)", '05:15:00'],
    ["x'00ff'", 'AP8='],
    ["'Käse 🧀'", 'Käse 🧀'],
    ["'null'", 'null'],
  ])('answers %s exactly', async (expression, value) => {
    const { outputs } = await sql(`SELECT ${expression} AS v`);
    expect(outputs['rows']).toEqual([{ v: value }]);
  });

  test('writes in a transaction that is committed', async () => {
    const insert = await write('INSERT INTO orders VALUES (?, ?, ?)', [10, 'new', '1.50']);
    expect(insert.outputs).toEqual({ rows: [], row_count: 1, truncated: false });
    expect((await write('UPDATE orders SET total = ? WHERE id = ?', ['2.5', 10])).outputs).toMatchObject({
      row_count: 1,
    });
    expect((await sql('SELECT total FROM orders WHERE id = 10')).outputs['rows']).toEqual([{ total: '2.50' }]);
    expect((await write('DELETE FROM orders WHERE id = ?', [10])).outputs).toMatchObject({ row_count: 1 });
  });

  test.each([
    ['an insert', "INSERT INTO orders VALUES (99, 'x', 1)"],
    ['a compound statement', 'BEGIN NOT ATOMIC COMMIT; SET SESSION TRANSACTION READ WRITE; DELETE FROM orders; END'],
    ['a comment that is executed', '/*!50000 DELETE FROM orders */'],
    ['a comment before it', '/* SELECT */ -- SELECT\n DELETE FROM orders'],
    ['a procedure', 'CALL wipe()'],
    ['a table', 'CREATE TABLE made (id int)'],
    ['an analysis that executes', 'ANALYZE DELETE FROM orders'],
  ])('cannot write in the mode read by %s', async (_name, statement) => {
    expect(await failure(sql(statement))).toMatchObject({ code: 'SQL_READ_ONLY', retryable: false });
    expect(await countOrders()).toEqual([{ n: 5 }]);
  });

  test('that begins like a read but writes is refused by the server', async () => {
    const found = await failure(sql('WITH a AS (SELECT 1 AS id) DELETE FROM orders WHERE id IN (SELECT id FROM a)'));
    expect(found).toMatchObject({ code: expect.stringMatching(/^SQL_(READ_ONLY|SYNTAX)$/) });
    expect(await countOrders()).toEqual([{ n: 5 }]);
  });

  test('cannot contain a second statement', async () => {
    for (const mode of ['read', 'write'])
      expect(await failure(sql('SELECT 1; DELETE FROM orders', { mode }))).toMatchObject({ code: 'SQL_SYNTAX' });
    expect(await countOrders()).toEqual([{ n: 5 }]);
  });

  test.each([
    ['SELECT * FROM nothing', {}, { code: 'SQL_SYNTAX' }],
    ['SELEC 1', { mode: 'write' }, { code: 'SQL_SYNTAX' }],
    ['SELECT * FROM other.private', {}, { code: 'SQL_DENIED' }],
    ["INSERT INTO orders VALUES (1, 'x', 1)", { mode: 'write' }, { code: 'SQL_CONSTRAINT' }],
    ["INSERT INTO orders VALUES (97, 'x', -1)", { mode: 'write' }, { code: 'SQL_CONSTRAINT' }],
    ["INSERT INTO orders VALUES ('x', 'x', 1)", { mode: 'write' }, { code: 'SQL_DATA' }],
    ['SELECT ?', {}, { code: 'SQL_PARAMETERS', retryable: false }],
    ['SELECT 1 AS a, 2 AS a', {}, { code: 'SQL_COLUMNS', message: expect.stringMatching(/named "a"\. Name .* AS\./) }],
    ['SELECT SLEEP(30)', { timeout_ms: 100 }, { code: 'SQL_TIMEOUT', retryable: true }],
  ])('%s fails with a code of its kind', async (statement, config, expected) => {
    expect(await failure(sql(statement, config))).toMatchObject(expected);
  });

  test('with a large result fails, or is cut off where the config says so', async () => {
    const many = "SELECT seq, repeat('x', 1000) AS text FROM seq_1_to_1000000000";
    expect(await failure(sql(many, { max_rows: 10 }))).toMatchObject({ code: 'SQL_TOO_LARGE' });
    expect((await sql(many, { max_rows: 10, on_limit: 'stop' })).outputs).toMatchObject({
      row_count: 10,
      truncated: true,
    });
    const { outputs } = await sql(many, { max_rows: 100_000, on_limit: 'stop' });
    expect(outputs['truncated']).toBe(true);
    expect(JSON.stringify(outputs).length).toBeLessThan(4 * 1024 * 1024);
  });

  test('with a large result is streamed into a file', async () => {
    const all = "SELECT seq, repeat('x', 1000) AS text FROM seq_1_to_150000";
    const { outputs } = await sql(all, { answer: 'ndjson' });
    expect(outputs).toMatchObject({ row_count: 150_000, truncated: false });
    const { file, size } = outputs['file'] as { file: string; size: number };
    expect(file.slice(0, 18)).toBe('{"seq":1,"text":"x');
    expect(size).toBeGreaterThan(150_000_000);
  });
});

describe.skipIf(mariadbIsMissing)(`a connection to MariaDB${skipped}`, () => {
  test.each([
    ['another name than the certificate has', { host: 'other.example' }, { code: 'SQL_TLS', retryable: false }],
    ['a certificate of an authority that is not trusted', { ca: '' }, { code: 'SQL_TLS', retryable: false }],
    ['a wrong password', { password: 'other' }, { code: 'SQL_LOGIN', retryable: false }],
    ['a database that is not there', { database: 'none' }, { code: expect.stringMatching(/^SQL_(LOGIN|DENIED)$/) }],
  ])('with %s fails', async (_name, credential, expected) => {
    expect(await failure(sql('SELECT 1', {}, credential))).toMatchObject(expected);
  });

  test('is not encrypted only if the credential says so', async () => {
    const { outputs } = await sql("SHOW STATUS LIKE 'Ssl_version'", {}, { tls: 'off' });
    expect(outputs['rows']).toEqual([{ Variable_name: 'Ssl_version', Value: '' }]);
  });

  test('is closed when the step is stopped', async () => {
    const stop = new AbortController();
    const running = failure(sql('SELECT SLEEP(30)', {}, {}, { signal: stop.signal }));
    const find = "SELECT 1 FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'";
    await expect.poll(async () => (await sql(find)).outputs['row_count']).toBe(1);
    stop.abort();
    expect(await running).toMatchObject({ code: 'SQL_STOPPED' });
  });
});

test.each([
  ['nothing of its protocol', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['a greeting that is cut off', Buffer.from([5, 0, 0, 0, 10, 0x35, 0x2e, 0x35, 0])],
  ['an empty message', Buffer.from([0, 0, 0, 0])],
  ['an end', null],
])('a server that answers %s fails the step alone', async (_name, bytes) => {
  const hostile = createServer((socket) => {
    socket.on('error', () => undefined);
    if (bytes) socket.write(bytes);
    else socket.end();
  });
  await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void hostile.close());
  const port = (hostile.address() as AddressInfo).port;
  const away = sqlTester('core:mysql', { address: '127.0.0.1', port }, { ...login, tls: 'off' });
  onTestFinished(() => away.egress.close());
  expect(await failure(away.sql('SELECT 1', { timeout_ms: 500 }))).toMatchObject({
    code: expect.stringMatching(/^SQL_(PROTOCOL|DISCONNECTED|TIMEOUT|FAILED)$/),
  });
});
