import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test as base, vi } from 'vitest';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { isOutage } from '#src/infra/postgres/outages.ts';
import { cloneDatabase } from '#test/setup/database.ts';

/** The bound is 1.4 s, and each of BEGIN, the query and ROLLBACK could meet it; a busy machine takes its time. */
const soonMs = 15_000;

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
beforeAll(async () => {
  clone = await cloneDatabase();
});
afterAll(() => clone.drop());

/** Passes bytes on between clients and the database, until it falls silent: then nothing passes, and nothing is closed. */
async function startProxy(socketPath: string) {
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  let silent = false;
  let isFull = false;
  let last: string | undefined;
  const server = createServer((client) => {
    sockets.add(client);
    if (isFull) {
      client.resume();
      return;
    }
    const upstream = connect(socketPath);
    clients.add(client);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => {
        if (last !== undefined && bytes.includes(last)) client.resetAndDestroy();
        else if (!silent) to.write(bytes);
      });
      from.on('close', () => silent || to.destroy());
      from.on('error', () => undefined);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    fallSilent: () => {
      silent = true;
    },
    /** Like a server that keeps its connections, and neither accepts nor refuses others. */
    acceptNoMore: () => {
      isFull = true;
    },
    speakAgain: () => {
      for (const socket of sockets) socket.destroy();
      silent = false;
    },
    /** Like a server's process that was killed: its connections end without a message, or are reset. */
    endAll: () => {
      for (const socket of clients) socket.end();
    },
    resetAll: () => {
      for (const socket of clients) socket.resetAndDestroy();
    },
    /** Resets a connection as soon as its client says this. */
    resetAt: (text: string) => {
      last = text;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Most of what is tested is waiting, so it is waited side by side. Each test has a proxy and a database of its own. */
const test = base
  .extend('statementMs', 1_200)
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern which fixtures are asked for
  .extend('proxy', async ({}, { onCleanup }) => {
    // The tests' server listens on a socket in a directory.
    const { host, port } = new pg.Client({ connectionString: clone.url });
    const proxy = await startProxy(`${host}/.s.PGSQL.${port}`);
    onCleanup(() => proxy.close());
    return proxy;
  })
  .extend('database', async ({ proxy, statementMs }, { onCleanup }) => {
    const { user, database: name } = new pg.Client({ connectionString: clone.url });
    const database = openDatabase({
      url: `postgresql://${user}@127.0.0.1:${proxy.port}/${name}`,
      poolSize: 2,
      statementMs,
    });
    onCleanup(async () => {
      proxy.speakAgain();
      await database.close();
    });
    return database;
  })
  /** Its server ends a statement after 6 s, and silence is absence after 7: far enough apart for a busy machine. */
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern which fixtures are asked for
  .extend('patient', async ({}, { onCleanup }) => {
    const patient = openDatabase({ url: clone.url, poolSize: 4, statementMs: 6_000 });
    onCleanup(() => patient.close());
    return patient;
  });

const workflows = { text: 'SELECT 1 FROM workflows', values: [] };
/** Every way to the database; `meanwhile` runs within the transactions. */
const ways: Record<string, (database: Database, meanwhile: () => void) => Promise<unknown>> = {
  'a raw query of a tenant': (database) => database.tenantQuery('acme-shop', workflows),
  'a reader': (database) => database.reader('acme-shop').workflow.count(),
  'a query without a tenant': (database) => database.global.org.count(),
  'a query of the system': (database) => database.system.query('SELECT 1'),
  "a tenant's transaction under way": (database, meanwhile) =>
    database.withTenant('acme-shop', async (tx) => {
      await tx.workflow.count();
      meanwhile();
      return tx.workflow.count();
    }),
  "the system's transaction under way": (database, meanwhile) =>
    database.withSystem(async (client) => {
      await client.query('SELECT 1');
      meanwhile();
      return client.query('SELECT 1');
    }),
  'a query of the system under way': async (database, meanwhile) => {
    await database.system.query('SELECT 1');
    setImmediate(meanwhile);
    return database.system.query('SELECT pg_sleep(0.2)');
  },
  'a raw query by Prisma under way': async (database, meanwhile) => {
    await database.global.$queryRaw`SELECT 1`;
    setTimeout(meanwhile, 50);
    return database.global.$queryRaw`SELECT pg_sleep(0.2)::text`;
  },
};

test('a connection that breaks before a pool has taken it is an outage, and does not end the process', async ({
  proxy,
  database,
}) => {
  proxy.resetAt('pg_is_in_recovery');
  expect(isOutage(await database.system.query('SELECT 1').catch((error: unknown) => error))).toBe(true);
});

test('a missing socket is an outage for Prisma as well', async () => {
  const nowhere = openDatabase({ url: 'postgresql:///causeway?host=/nowhere', poolSize: 1 });
  expect(isOutage(await nowhere.global.org.count().catch((error: unknown) => error))).toBe(true);
  await nowhere.close();
});

describe('a database that vanishes without closing anything', () => {
  const each = test.concurrent.for(Object.keys(ways));
  each('is given up on by %s, as an outage, and found again when it is back', async (name, { proxy, database }) => {
    const way = (ways[name] as (typeof ways)[string]).bind(undefined, database);
    await way(() => undefined);
    if (!name.endsWith('under way')) proxy.fallSilent();
    const began = performance.now();
    const fault = await way(proxy.fallSilent).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(performance.now() - began).toBeLessThan(soonMs);
    expect(isOutage(fault)).toBe(true);
    proxy.speakAgain();
    await way(() => undefined);
  });

  test('frees its connections, so that as many callers as before are served when it is back', async ({
    proxy,
    database,
  }) => {
    await Promise.all([1, 2, 3, 4].map(() => database.tenantQuery('acme-shop', workflows)));
    proxy.fallSilent();
    const stuck = await Promise.allSettled([1, 2, 3, 4].map(() => database.tenantQuery('acme-shop', workflows)));
    expect(stuck.map(({ status }) => status)).toEqual(stuck.map(() => 'rejected'));
    proxy.speakAgain();
    // A connection that was being opened for refused callers may fail the first that ask again.
    await vi.waitFor(() => Promise.all([1, 2, 3, 4].map(() => database.tenantQuery('acme-shop', workflows))), {
      timeout: 5_000,
    });
  });
});

test.extend('statementMs', 4_000)(
  'callers that wait for a connection fail together with those that have one when the database vanishes',
  async ({ proxy, database }) => {
    await Promise.all([1, 2].map(() => database.tenantQuery('acme-shop', workflows)));
    proxy.fallSilent();
    const told: number[] = [];
    const began = performance.now();
    const callers = Array.from({ length: 20 }, async () => {
      const fault = await database.tenantQuery('acme-shop', workflows).catch((error: unknown) => error);
      told.push(performance.now() - began);
      return fault;
    });
    expect((await Promise.all(callers)).every(isOutage)).toBe(true);
    // Two have a connection. The others would otherwise wait another 4.7 s for the next two that cannot be opened.
    expect(Math.max(...told) - Math.min(...told)).toBeLessThan(3_000);
  },
);

describe('a database that vanishes from statements that may take long', () => {
  const unhurried = test.extend('statementMs', 60_000);

  const each = unhurried.concurrent.for(Object.keys(ways));
  each('is noticed by %s long before their time limit', async (name, { proxy, database }) => {
    const way = (ways[name] as (typeof ways)[string]).bind(undefined, database);
    await way(() => undefined);
    if (!name.endsWith('under way')) proxy.fallSilent();
    const began = performance.now();
    const fault = await way(proxy.fallSilent).catch((error: unknown) => error);
    expect(fault).toSatisfy(isOutage);
    // It takes 1.8 s for each statement of the way, and would take 70 s for the limit.
    expect(performance.now() - began).toBeLessThan(soonMs);
    proxy.speakAgain();
    await vi.waitFor(() => way(() => undefined), { timeout: 5_000 });
  });

  const answering = 'is no reason to give up a server that answers others, although it accepts no connection';
  unhurried.concurrent(answering, async ({ proxy, database }) => {
    const short = () => database.system.query('SELECT 1');
    await Promise.all([short(), short(), short(), short()]);
    proxy.acceptNoMore();
    const slept = new AbortController();
    const long = database.system.query('SELECT pg_sleep(5)').finally(() => slept.abort());
    // Each takes a millisecond, so that none is under way when the server is asked.
    const others = (async () => {
      for (; !slept.signal.aborted; await delay(50)) await short();
    })();
    await expect(Promise.all([long, others])).resolves.toHaveLength(2);
  });
});

describe('a database whose connections are cut', () => {
  const cuts = ['endAll', 'resetAll'] as const;
  const cases = Object.keys(ways).flatMap((name) => cuts.map((cut) => [name, cut] as const));
  const each = test.for(cases.filter(([name]) => name.endsWith('under way')));
  each('is an outage to %s (%s)', async ([name, cut], { proxy, database }) => {
    const fault = await (ways[name] as (typeof ways)[string])(database, proxy[cut]).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(isOutage(fault)).toBe(true);
  });

  test('fails all callers that wait for a connection within two seconds', async ({ proxy, database }) => {
    proxy.fallSilent();
    const began = performance.now();
    const callers = Array.from({ length: 40 }, () => database.tenantQuery('acme-shop', workflows));
    const answers = await Promise.allSettled(callers);
    expect(answers.every((answer) => answer.status === 'rejected' && isOutage(answer.reason))).toBe(true);
    expect(performance.now() - began).toBeLessThan(2_500);
    proxy.speakAgain();
    // A connection that was being opened for refused callers may fail the first that ask again.
    await vi.waitFor(() => database.tenantQuery('acme-shop', workflows), { timeout: 5_000 });
  });

  test('is waited for at the start', async () => {
    const cutting = createServer((socket) => socket.destroy());
    cutting.listen(0, '127.0.0.1');
    await once(cutting, 'listening');
    const { port } = cutting.address() as AddressInfo;
    const fault = await migrate(`postgresql://nobody@127.0.0.1:${port}/none`, []).catch((error: unknown) => error);
    cutting.close();
    expect(isOutage(fault)).toBe(true);
  });
});

describe('a long statement', () => {
  test.concurrent('is not interrupted while the server works on it', async ({ patient }) => {
    const sleep = patient.tenantQuery('acme-shop', { text: 'SELECT pg_sleep(4)', values: [] });
    const sleeps = patient.withTenant('acme-shop', async (tx) => {
      await tx.$queryRaw`SELECT pg_sleep(3)::text`;
      await delay(2_000);
      return tx.$queryRaw`SELECT pg_sleep(3)::text`;
    });
    const [slept, rows] = await Promise.all([sleep, sleeps]);
    expect([slept, rows]).toMatchObject([{ length: 1 }, { length: 1 }]);
  });

  const ended = 'is ended by the server, which says why, before its silence is taken for absence';
  test.concurrent(ended, async ({ patient }) => {
    const text = 'SELECT pg_sleep(60)';
    await Promise.all(
      [patient.tenantQuery('acme-shop', { text, values: [] }), patient.system.query(text)].map((sleep) =>
        expect(sleep).rejects.toMatchObject({ code: '57014' }),
      ),
    );
  });
});
