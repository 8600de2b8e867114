import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startEmbeddedPostgres } from '#src/infra/embedded-postgres/embedded-postgres.ts';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { inOneProcess } from '#src/infra/postgres/named-locks.ts';
import { isOutage } from '#src/infra/postgres/outages.ts';
import { forEachTenant } from '#src/infra/postgres/tenant-scope.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { copyMigratedCluster } from '#test/setup/cluster.ts';
import { cloneDatabase, server } from '#test/setup/database.ts';
import {
  keeperIsMissing,
  keeperSuffix,
  type PoolerOptions,
  type ProxiedPooler,
  startPooler,
} from '#test/setup/pgbouncer.ts';
import { startPostgresProxy } from '#test/setup/postgres-proxy.ts';
import { templateDatabase } from '#test/setup/template-database.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';

const app = `pooled_app_${process.pid}`;
const system = `pooled_system_${process.pid}`;
const stranger = `stranger_${process.pid}`;
/** Fewer sessions than connections, so that transactions of one connection reach several of them. */
const size = 3;
let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let owner: pg.Client;
let pooler: ProxiedPooler;

const start = (options: Partial<PoolerOptions> = {}) =>
  startPooler(clone.url, {
    mode: 'transaction',
    keepsStatements: true,
    size,
    logins: [app, system, stranger],
    ...options,
  });

function open(options: Partial<Parameters<typeof openDatabase>[0]> = {}): Database {
  const database = openDatabase({ url: clone.url, poolSize: 8, ...options });
  onTestFinished(() => database.close());
  return database;
}
const through = (
  { as }: Pick<ProxiedPooler, 'as'> = pooler,
  options: Partial<Parameters<typeof openDatabase>[0]> = {},
): Database => open({ poolers: { appUrl: as(app), systemUrl: as(system) }, ...options });

const catchFailure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  );

const read = async <Row extends pg.QueryResultRow>(
  tx: Pick<Tx, 'query'>,
  query: string | pg.QueryConfig,
): Promise<Row[]> => (await tx.query<Row>(query as pg.QueryConfig)).rows;

type Query = { name: string; text: string; values: [] };
/** Every way to the database, as a tenant where there is one. */
const ways: Record<string, (database: Database, query: Query) => Promise<unknown[]>> = {
  'a transaction of a tenant': (database, query) => database.withTenant('acme-shop', (tx) => read(tx, query)),
  'a transaction of a tenant by Prisma': (database, { text }) =>
    database.withTenant('acme-shop', (tx) => tx.$queryRawUnsafe(text)),
  'a transaction of a tenant in SQL': (database, query) => database.withTenantSql('acme-shop', (tx) => read(tx, query)),
  'a transaction of the system': (database, query) => database.withSystem((tx) => read(tx, query)),
  'a statement of the system': (database, query) => read(database.system, query),
  'a statement of a tenant': (database, query) => database.tenantQuery('acme-shop', query),
  'a statement without a tenant': (database, { text }) => database.global.$queryRawUnsafe(text),
};

/** All settings that a transaction has, apart from the names that connections give themselves. */
const settings: Query = {
  name: 'settings',
  text: `SELECT current_user::text AS role, (SELECT json_object_agg(name, setting ORDER BY name) FROM pg_settings
    WHERE name <> 'application_name' AND name NOT LIKE 'causeway.%') AS settings,
    coalesce(current_setting('causeway.tenant_id', true), '') AS tenant`,
  values: [],
};

describe.skipIf(keeperIsMissing)(`A pooler in transaction mode${keeperSuffix}`, () => {
  beforeAll(async () => {
    clone = await cloneDatabase();
    owner = new pg.Client({ connectionString: clone.url });
    await owner.connect();
    await owner.query(`CREATE ROLE ${app} LOGIN NOINHERIT IN ROLE causeway_app;
      CREATE ROLE ${system} LOGIN NOINHERIT IN ROLE causeway_app, causeway_system; CREATE ROLE ${stranger} LOGIN NOINHERIT;
      INSERT INTO orgs (id, name) VALUES ('acme', 'Acme');
      INSERT INTO tenants (id, org_id, name) SELECT 'shop-' || n, 'acme', 'Shop' FROM generate_series(1, 8) AS n;
      INSERT INTO tenants (id, org_id, name) VALUES ('acme-shop', 'acme', 'Shop');
      INSERT INTO order_numbers (tenant_id, last) SELECT 'shop-' || n, n FROM generate_series(1, 8) AS n`);
    pooler = await start();
  });
  afterAll(async () => {
    await pooler.close();
    await owner.end();
    await clone.drop();
    await server().query(`DROP ROLE ${app}, ${system}, ${stranger}`);
  });

  test.each(Object.entries(ways))(
    'gives the role and the settings of a direct connection to %s',
    async (_name, way) => {
      expect(await way(through(), settings)).toEqual(await way(open(), settings));
    },
  );

  test('keeps tenants apart whose statements share its sessions', async () => {
    const database = through();
    const text = 'SELECT tenant_id FROM order_numbers';
    const tenants = Array.from({ length: 80 }, (_, at) => `shop-${(at % 8) + 1}`);
    const seen = await Promise.all(
      tenants.map(async (tenantId, at) => {
        const query = { name: 'own', text, values: [] };
        if (at % 3 === 0) return database.tenantQuery(tenantId, query);
        return at % 3 === 1
          ? database.withTenantSql(tenantId, (tx) => read(tx, query))
          : database.withTenant(tenantId, (tx) => tx.$queryRawUnsafe(text));
      }),
    );
    expect(seen).toEqual(tenants.map((tenant_id) => [{ tenant_id }]));
    expect(await database.global.$queryRawUnsafe(text)).toEqual([]);
  });

  test.each([
    ['the system', (database: Database, work: (tx: Tx) => Promise<unknown>) => database.withSystem(work)],
    ['no tenant', (database: Database, work: (tx: Tx) => Promise<unknown>) => database.withTenantSql(null, work)],
  ])('lets a transaction of %s act as tenants in turn, and returns it to its role', async (_name, transact) => {
    const role = `SELECT current_user::text AS role, current_setting('causeway.tenant_id', true) AS tenant`;
    const outcome = (database: Database) =>
      transact(database, async (tx) => [
        await read(tx, 'SELECT current_user::text AS role'),
        await forEachTenant(
          tx,
          ['shop-1', 'shop-2'],
          (id) => id,
          (scoped) => read(scoped, role),
        ),
        await read(tx, role),
      ]);
    const answer = await outcome(through());
    expect(answer).toEqual(await outcome(open()));
    expect(answer).toMatchObject([
      {},
      [{ role: 'causeway_app', tenant: 'shop-1' }, { tenant: 'shop-2' }],
      [{ tenant: '' }],
    ]);
  });

  test('leaves locks that outlast a transaction to a session of its own', async () => {
    const [one, other] = [through(), through()];
    const tried = () => inOneProcess(other, 'pooler-test', async () => 'done');
    const held = inOneProcess(one, 'pooler-test', async () => {
      await one.system.query('SELECT 1');
      return tried();
    });
    expect(await held).toBeUndefined();
    expect(await tried()).toBe('done');
  });

  test.each(['a statement of the system', 'a statement of a tenant'])(
    'repeats %s that a migration has outdated, and others go on afterwards',
    async (name) => {
      const database = through();
      const way = ways[name] as (typeof ways)[string];
      const query: Query = { name: 'orgs', text: 'SELECT * FROM orgs', values: [] };
      await Promise.all(Array.from({ length: 6 }, () => way(database, query)));
      await owner.query(`ALTER TABLE orgs ADD COLUMN ${name.split(' ').at(-1)}_later text`);
      const [again] = await way(database, query);
      expect(again).toMatchObject({ id: 'acme' });
      await Promise.all(Array.from({ length: 6 }, () => way(database, query)));
    },
  );

  test('may be absent: the logins work on Postgres itself', async () => {
    const as = (login: string) => clone.url.replace(/\/\/\w+@/, `//${login}@`);
    const database = through({ as });
    for (const way of Object.values(ways)) expect(await way(database, settings)).toHaveLength(1);
  });

  const refusals: [string, RegExp, () => Promise<{ database: Database; close?: () => Promise<void> }>][] = [
    [
      'a login that may not act as causeway_app',
      /DATABASE_APP_URL logs in as "stranger_\d+", who may not act as causeway_app\. As an administrator: GRANT causeway_app TO/,
      async () => ({ database: open({ poolers: { appUrl: pooler.as(stranger), systemUrl: pooler.as(system) } }) }),
    ],
    [
      'a login that may act as only one of the roles where it needs both',
      /DATABASE_SYSTEM_URL logs in as "pooled_app_\d+".*GRANT causeway_app, causeway_system TO/,
      async () => ({ database: open({ poolers: { appUrl: pooler.as(app), systemUrl: pooler.as(app) } }) }),
    ],
    [
      'a pooler that does not keep prepared statements',
      /pooler of DATABASE_(APP|SYSTEM)_URL does not keep prepared statements\. Use PgBouncer 1\.21 or later/,
      async () => {
        const other = await start({ keepsStatements: false });
        return { database: through(other), close: () => other.close() };
      },
    ],
    [
      'a pooler that leads to another database',
      /DATABASE_(APP|SYSTEM)_URL and DATABASE_URL lead to different servers or databases/,
      async () => {
        const other = await cloneDatabase();
        return { database: through(pooler, { url: other.url }), close: () => other.drop() };
      },
    ],
    [
      'a pooler in session mode',
      /Use PgBouncer 1\.21 or later in transaction mode/,
      async () => {
        const other = await start({ mode: 'session' });
        return { database: through(other), close: () => other.close() };
      },
    ],
  ];
  test.each(refusals)('is refused: %s', async (_name, message, make) => {
    const { database, close } = await make();
    const failure = await catchFailure(database.assertRoles());
    await database.close();
    await close?.();
    expect(String(failure)).toMatch(message);
  });

  test('that ends under load loses nothing that was acknowledged, and repeats nothing', async () => {
    const own = await start();
    onTestFinished(() => own.close());
    const database = through(own);
    await owner.query('CREATE TABLE kept (n int PRIMARY KEY); GRANT SELECT, INSERT ON kept TO causeway_system');
    const acknowledged: number[] = [];
    const failures: unknown[] = [];
    let n = 0;
    const over = new AbortController();
    const writers = Array.from({ length: 6 }, async () => {
      while (!over.signal.aborted) {
        const mine = (n += 1);
        await database
          .withSystem((tx) => tx.query({ name: 'keep', text: 'INSERT INTO kept VALUES ($1)', values: [mine] }))
          .then(
            () => acknowledged.push(mine),
            async (error: unknown) => {
              failures.push(error);
              await delay(10);
            },
          );
      }
    });
    const until = async (more: number) => {
      for (const goal = acknowledged.length + more; acknowledged.length < goal;) await delay(5);
    };
    for (let round = 0; round < 3; round += 1) {
      await until(100);
      await own.kill();
      await own.start();
    }
    await until(100);
    over.abort();
    await Promise.all(writers);
    expect(failures.length).toBeGreaterThan(0);
    for (const failure of failures) expect(failure).toSatisfy(isOutage);
    const { rows } = await owner.query<{ n: number }>('SELECT n FROM kept');
    const kept = new Set(rows.map((row) => row.n));
    expect(acknowledged.filter((each) => !kept.has(each))).toEqual([]);
    expect(kept.size - acknowledged.length).toBeLessThanOrEqual(failures.length);
  });

  test('that stands still fails what it holds as an outage, and serves again once it goes on', async () => {
    const own = await start();
    onTestFinished(() => own.close());
    const database = through(own);
    await database.assertRoles();
    own.freeze(true);
    const failures = await Promise.all(
      [ways['a statement of the system'], ways['a transaction of a tenant']].map((way) =>
        catchFailure(way?.(database, settings) ?? Promise.resolve()),
      ),
    );
    for (const failure of failures) expect(failure).toSatisfy(isOutage);
    own.freeze(false);
    await ways['a transaction of a tenant']?.(database, settings);
  });

  describe('before servers of its own', () => {
    const next = { name: 'next', text: `SELECT nextval('runs_id_seq')::int AS id`, values: [] } as const;
    const draw = async (database: Database): Promise<number[]> => {
      const drawn = [
        read<{ id: number }>(database.system, { ...next, values: [] }),
        database.withTenantSql(null, (tx) => read<{ id: number }>(tx, { ...next, values: [] })),
        database.tenantQuery<{ id: number }>('acme-shop', { ...next, values: [] }),
      ];
      return (await Promise.all(drawn)).flat().map(({ id }) => id);
    };
    /** Transactions that find their connection on another server fail as an outage. */
    const drawAgain = (database: Database): Promise<number[]> =>
      draw(database).catch((error: unknown) => {
        expect(error).toSatisfy(isOutage);
        return draw(database);
      });

    async function startServer(copied?: string) {
      const directory = await mkdtemp(join(tmpdir(), 'causeway-pooled-'));
      await chmod(directory, 0o755);
      const dataDir = join(directory, 'data');
      if (copied === undefined) await copyMigratedCluster(dataDir);
      else await promisify(execFile)('cp', ['-a', copied, dataDir]);
      const start = () => startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } });
      let running = await start();
      onTestFinished(async () => {
        await running.stop();
        await rm(directory, { recursive: true, force: true });
      });
      const url = running.url(templateDatabase);
      const say = async (url: string, sql: string) => {
        const client = new pg.Client({ connectionString: url });
        await client.connect();
        await client.query(sql);
        await client.end();
      };
      if (copied === undefined)
        await say(
          url,
          `CREATE ROLE ${app} LOGIN NOINHERIT IN ROLE causeway_app;
           CREATE ROLE ${system} LOGIN NOINHERIT IN ROLE causeway_app, causeway_system`,
        );
      const { host, port, user } = new pg.Client({ connectionString: url });
      return {
        url,
        dataDir,
        user: user ?? '',
        socket: `${host}/.s.PGSQL.${port}`,
        async promote() {
          await running.stop();
          await writeFile(join(dataDir, 'standby.signal'), '');
          running = await start();
          await say(running.url(), 'SELECT pg_promote()');
        },
        restart: async (between: () => Promise<void> = () => Promise.resolve()) => {
          await running.stop();
          await between();
          running = await start();
        },
      };
    }

    const startPoolerBefore = async (url: string) => {
      const own = await startPooler(url, { mode: 'transaction', keepsStatements: true, size, logins: [app, system] });
      onTestFinished(() => own.close());
      return own;
    };

    test('moves ids ahead before a transaction reaches a promoted server', startsProcesses, async () => {
      const node = await startServer();
      const database = through(await startPoolerBefore(node.url), { url: node.url });
      const before = Math.max(...(await draw(database)));
      await node.promote();
      const after = await drawAgain(database);
      expect(Math.min(...after)).toBeGreaterThan(before + 500_000);
      expect(Math.max(...(await draw(database)))).toBeLessThan(Math.max(...after) + 100);
    });

    test('is refused while it leads to another server than DATABASE_URL', startsProcesses, async () => {
      const node = await startServer();
      let other: Awaited<ReturnType<typeof startServer>> | undefined;
      await node.restart(async () => {
        other = await startServer(node.dataDir);
      });
      const direct = await startPostgresProxy(node.socket);
      onTestFinished(() => direct.close());
      const own = await startPoolerBefore(node.url);
      const database = through(own, {
        url: `postgresql://${node.user}@127.0.0.1:${direct.port}/${templateDatabase}`,
      });
      await draw(database);
      own.toServer.switchTo(other?.socket ?? '');
      const failure = await catchFailure(draw(database));
      expect(failure).toSatisfy(isOutage);
      expect(String(await catchFailure(draw(database)))).toMatch(/lead to different servers or databases/);
      direct.switchTo(other?.socket ?? '');
      expect(await draw(database)).toHaveLength(3);
    });
  });
});
