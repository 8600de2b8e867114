import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { declarations } from '#src/domains/domains.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#src/infra/embedded-postgres/embedded-postgres.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { isOutage } from '#src/infra/postgres/outages.ts';
import { createMetrics } from '#src/process/metrics/metrics.ts';
import { copyMigratedCluster } from '#test/setup/cluster.ts';
import { cloneDatabase } from '#test/setup/database.ts';
import { templateDatabase } from '#test/setup/template-database.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';

const step = 1_000_000;

/** A process's access to the database, with what it logged. */
function open(url: string): { database: Database; lines: { level: string; details: object; message: string }[] } {
  const lines: { level: string; details: object; message: string }[] = [];
  const line = (level: string) => (details: object, message: string) => void lines.push({ level, details, message });
  const database = openDatabase({ url, poolSize: 2, log: { warn: line('warn'), error: line('error') } });
  onTestFinished(() => database.close());
  return { database, lines };
}

/** Draws an id of a run over each pool. */
async function draw(database: Database): Promise<number[]> {
  const next = `SELECT nextval('runs_id_seq')::int AS id`;
  const read = [
    database.system.query<{ id: number }>(next).then(({ rows }) => rows),
    database.tenantQuery<{ id: number }>('acme-shop', { text: next, values: [] }),
    database.withTenantSql(null, async (tx) => (await tx.query<{ id: number }>(next)).rows),
    database.global.$queryRawUnsafe<{ id: number }[]>(next),
  ];
  return (await Promise.all(read)).flat().map(({ id }) => id);
}

/** The last values of all sequences, the numbers of orders, and what the audit log says of moves. */
async function marks(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: sequences } = await client.query<{ name: string; last: string }>(
      `SELECT relname AS name, coalesce(pg_sequence_last_value(seqrelid), 0) AS last FROM pg_sequence JOIN pg_class ON oid = seqrelid`,
    );
    const { rows: numbers } = await client.query<{ last: string }>('SELECT last FROM order_numbers');
    const { rows: audit } = await client.query<{ metadata: object }>(
      `SELECT metadata FROM audit_entries WHERE action = 'move_ids' AND resource_type = 'database' AND tenant_id = '' ORDER BY id`,
    );
    return {
      sequences: new Map(sequences.map(({ name, last }) => [name, Number(last)])),
      numbers: numbers.map(({ last }) => Number(last)),
      moves: audit.map(({ metadata }) => metadata),
    };
  } finally {
    await client.end();
  }
}

async function statement(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

const catchFailure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  );

describe('a server of its own', () => {
  async function startCluster() {
    const directory = await mkdtemp(join(tmpdir(), 'causeway-timeline-'));
    await chmod(directory, 0o755);
    const dataDir = join(directory, 'data');
    await copyMigratedCluster(dataDir);
    const start = () => startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } });
    let server: EmbeddedPostgres = await start();
    onTestFinished(async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    });
    const url = server.url(templateDatabase);
    await statement(url, `INSERT INTO order_numbers VALUES ('acme-shop', 100017)`);
    return {
      url,
      /** Takes over with what is there, as a standby does, or a backup that was restored to a point in time. */
      async promote() {
        await server.stop();
        await writeFile(join(dataDir, 'standby.signal'), '');
        server = await start();
        await statement(server.url(), 'SELECT pg_promote()');
      },
      /** Keeps a copy of the data, and puts it in place of what has become of them since. */
      async copy() {
        await server.stop();
        await promisify(execFile)('cp', ['-a', dataDir, `${dataDir}.copy`]);
        server = await start();
      },
      async putBack() {
        await server.stop();
        await rm(dataDir, { recursive: true });
        await promisify(execFile)('cp', ['-a', `${dataDir}.copy`, dataDir]);
        server = await start();
      },
    };
  }

  test(
    'no process allocates an id on a new timeline before all ids and numbers were moved ahead, once',
    startsProcesses,
    async () => {
      const cluster = await startCluster();
      const [one, other] = [open(cluster.url), open(cluster.url)];
      await Promise.all([draw(one.database), draw(other.database)]);
      const before = await marks(cluster.url);
      expect(before.moves).toEqual([]);
      await cluster.promote();
      const drawn = (await Promise.all([draw(one.database), draw(other.database)])).flat();
      expect(Math.min(...drawn)).toBeGreaterThan((before.sequences.get('runs_id_seq') ?? 0) + step);
      const after = await marks(cluster.url);
      for (const [name, last] of before.sequences)
        expect([name, after.sequences.get(name)]).toEqual([
          name,
          expect.toSatisfy((now) => Number(now) - last >= step),
        ]);
      expect(after.numbers).toEqual(before.numbers.map((last) => last + step));
      expect(Math.max(...after.sequences.values())).toBeLessThan(2 * step);
      expect(after.moves).toEqual([
        {
          moved_by: step,
          from: { system: expect.stringMatching(/^\d+$/), timeline: 1 },
          to: { system: expect.any(String), timeline: 2 },
        },
      ]);
      expect([...one.lines, ...other.lines]).toEqual([
        { level: 'warn', details: expect.objectContaining({ timeline: 2, moved: step }), message: expect.any(String) },
      ]);
      // A start that is the first one to find it does the same, and a restart of the server changes nothing.
      await cluster.promote();
      await migrate(cluster.url, declarations.jobs);
      expect((await marks(cluster.url)).moves).toHaveLength(2);
      await cluster.copy();
      await draw(one.database);
      expect((await marks(cluster.url)).moves).toHaveLength(2);
    },
  );

  test(
    'a process that meets a former primary serves nobody until it is restarted, and says what to do',
    startsProcesses,
    async () => {
      const cluster = await startCluster();
      const { database, lines } = open(cluster.url);
      await draw(database);
      await cluster.copy();
      await cluster.promote();
      await draw(database);
      expect(database.primary.alarm).toBeUndefined();
      await cluster.putBack();
      const said =
        /one on timeline 2, and a former primary on timeline 1\. Stop the one on timeline 1.* restart this process/;
      const failure = await catchFailure(database.system.query('SELECT 1'));
      expect(failure).toSatisfy(isOutage);
      expect(String(failure)).toMatch(said);
      expect(database.primary.alarm).toMatch(said);
      const alarms = () => lines.filter(({ level }) => level === 'error');
      expect(alarms()).toEqual([
        {
          level: 'error',
          details: expect.objectContaining({ alarm: 'two_primaries' }),
          message: expect.stringMatching(said),
        },
      ]);
      const metric = await createMetrics(database).getSingleMetricAsString('causeway_two_primaries');
      expect(metric).toMatch(/^causeway_two_primaries 1$/m);
      // It stays so whatever it would meet next.
      await cluster.promote();
      for (const work of [draw(database), database.global.org.count()])
        expect(await catchFailure(work)).toSatisfy(isOutage);
      expect(alarms()).toHaveLength(1);
      await draw(open(cluster.url).database);
    },
  );
});

describe('a database that', () => {
  async function cloned() {
    const clone = await cloneDatabase();
    onTestFinished(() => clone.drop());
    return clone.url;
  }
  const restored: [string, string][] = [
    ['was restored from a dump of another cluster', `UPDATE server_timelines SET system = '7'`],
    [
      'was restored from a dump of the same server',
      `CREATE TABLE restored (LIKE server_timelines INCLUDING ALL); INSERT INTO restored SELECT * FROM server_timelines;
       DROP TABLE server_timelines; ALTER TABLE restored RENAME TO server_timelines;
       GRANT SELECT ON server_timelines TO causeway_app; GRANT SELECT, INSERT ON server_timelines TO causeway_system`,
    ],
  ];

  test.each(restored)('%s reuses none of the ids of the old one', async (_what, restore) => {
    const url = await cloned();
    // The partition that ids reach by the move is not there yet.
    await statement(url, `SELECT setval('runs_id_seq', 9500000)`);
    await draw(open(url).database);
    const before = await marks(url);
    await statement(url, restore);
    const { database, lines } = open(url);
    expect(Math.min(...(await draw(database)))).toBeGreaterThan((before.sequences.get('runs_id_seq') ?? 0) + step);
    expect((await marks(url)).moves).toHaveLength(1);
    expect(lines).toEqual([
      { level: 'warn', details: expect.anything(), message: expect.stringMatching(/moved ahead/) },
    ]);
    const { rows } = await database.system.query<{ made: boolean }>(
      `SELECT to_regclass('runs_p2') IS NOT NULL AS made`,
    );
    expect(rows).toEqual([{ made: true }]);
  });

  test('is on a server that does not show its timeline is served, with one log line', async () => {
    const url = await cloned();
    await statement(url, 'REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC');
    const { database, lines } = open(url);
    await Promise.all([draw(database), database.assertRoles()]);
    expect(lines).toEqual([{ level: 'warn', details: {}, message: expect.stringMatching(/shows neither/) }]);
  });

  test('has no table for it yet is served', async () => {
    const url = await cloned();
    await statement(url, 'DROP TABLE server_timelines CASCADE');
    const { database, lines } = open(url);
    await draw(database);
    expect(lines).toEqual([]);
  });
});
