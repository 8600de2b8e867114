import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#src/infra/embedded-postgres/embedded-postgres.ts';
import { copyMigratedCluster } from '#test/setup/cluster.ts';
import { startPostgresProxy } from '#test/setup/postgres-proxy.ts';
import { copyRunning } from '#test/setup/standby.ts';
import { templateDatabase } from '#test/setup/template-database.ts';

/** A primary behind a proxy that follows it, with at most one streaming standby. */
export interface Cluster {
  /** The database behind the proxy. */
  url: string;
  /** Runs statements on the primary, as superuser and past the proxy. */
  onPrimary<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Copies the running primary and has the copy stream from it; a commit waits for a synchronous one. */
  addStandby(mode: 'synchronous' | 'asynchronous'): Promise<void>;
  /** Ends streaming: what is committed from now on does not reach the standby. */
  severStandby(): Promise<void>;
  /**
   * Promotes the standby and has the proxy follow it; kills what the former primary has left. `open`: leaves it and the connections to it
   * as they are until the next promotion.
   */
  promote(connections?: 'open'): Promise<void>;
  /** `kill`: all its processes together, like the death of its host. `stop`: a fast shutdown, whose log the standby receives completely. */
  endPrimary(how: 'kill' | 'stop'): Promise<void>;
  /** Stops every process of the primary (SIGSTOP): it accepts connections and never responds. */
  freezePrimary(): Promise<void>;
  restartPrimary(): Promise<void>;
  /** Starts the server that was the primary before the last promotion, and has the proxy take it for the primary. */
  meetFormer(): Promise<void>;
  /** Has the proxy lead to the primary again. */
  leaveFormer(): Promise<void>;
  /** Closes every connection through the proxy. */
  cut(): void;
  close(): Promise<void>;
}

interface Server {
  name: string;
  dataDir: string;
  running: EmbeddedPostgres;
}

// The standby follows from a copy, so what was written meanwhile must be kept for it.
const settings = { wal_keep_size: '512MB', max_wal_senders: '4' };
const socketPath = ({ dataDir }: Server): string => `${dataDir}.run/.s.PGSQL.5432`;

/** Starts the primary with a migrated database that holds org `acme` with tenant `acme-shop`. */
export async function openCluster(): Promise<Cluster> {
  const directory = await mkdtemp(join(tmpdir(), 'causeway-failover-'));
  let names = 0;
  const newName = (): string => `s${(names += 1)}`;
  const begin = async (name: string): Promise<Server> => {
    const dataDir = join(directory, name);
    return { name, dataDir, running: await startEmbeddedPostgres({ dataDir, settings }) };
  };
  const first = newName();
  await copyMigratedCluster(join(directory, first));
  let primary = await begin(first);
  let standby: Server | undefined;
  let former: Server | undefined;
  const proxy = await startPostgresProxy(socketPath(primary));
  const onPrimary = <Row extends pg.QueryResultRow>(sql: string, values?: unknown[]) => ask<Row>(primary, sql, values);
  await onPrimary(`INSERT INTO orgs (id, name) VALUES ('acme', 'Acme')`);
  await onPrimary(`INSERT INTO tenants (id, org_id, name) VALUES ('acme-shop', 'acme', 'Acme shop')`);

  return {
    url: `postgresql://postgres@127.0.0.1:${proxy.port}/${templateDatabase}`,
    onPrimary,
    async addStandby(mode) {
      const name = newName();
      await copyRunning(primary, join(directory, name), name);
      standby = await begin(name);
      await until(async () => {
        const found = await onPrimary(
          `SELECT 1 FROM pg_stat_replication WHERE application_name = $1 AND state = 'streaming'`,
          [name],
        );
        return found.length === 1;
      });
      if (mode === 'asynchronous') return;
      await onPrimary(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
      await onPrimary('SELECT pg_reload_conf()');
      await until(
        async () => (await onPrimary(`SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`)).length === 1,
      );
    },
    async severStandby() {
      if (!standby) throw new Error('There is no standby.');
      const { running } = standby;
      await ask(standby, `ALTER SYSTEM SET primary_conninfo = ''`);
      await ask(standby, 'SELECT pg_reload_conf()');
      await until(async () => (await ask({ running }, 'SELECT 1 FROM pg_stat_wal_receiver')).length === 0);
    },
    async promote(connections) {
      if (!standby) throw new Error('There is no standby.');
      await ask(standby, 'SELECT pg_promote()');
      if (connections === 'open') proxy.leadTo(socketPath(standby));
      else {
        proxy.switchTo(socketPath(standby));
        await kill(primary);
      }
      if (former) await kill(former);
      if (former) await rm(former.dataDir, { recursive: true, force: true });
      [former, primary, standby] = [primary, standby, undefined];
    },
    async endPrimary(how) {
      if (how === 'kill') return kill(primary);
      process.kill(primary.running.pid, 'SIGINT');
      await primary.running.exited;
    },
    freezePrimary: () => signalAll(primary, 'SIGSTOP'),
    async restartPrimary() {
      process.kill(primary.running.pid, 'SIGINT');
      await primary.running.exited;
      primary = await begin(primary.name);
    },
    async meetFormer() {
      if (!former) throw new Error('No standby was promoted.');
      await kill(former);
      former = await begin(former.name);
      proxy.switchTo(socketPath(former));
    },
    async leaveFormer() {
      proxy.switchTo(socketPath(primary));
      if (former) await kill(former);
    },
    cut: () => proxy.cut(),
    async close() {
      await proxy.close();
      for (const server of [standby, former, primary]) if (server) await kill(server);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Signals the postmaster and its children, which have sessions of their own. */
async function signalAll({ running: { pid } }: Pick<Server, 'running'>, signal: NodeJS.Signals): Promise<void> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  for (const each of [pid, ...children.split(' ').filter(Boolean).map(Number)]) {
    try {
      process.kill(each, signal);
    } catch {
      // It has ended.
    }
  }
}

async function kill(server: Server): Promise<void> {
  await signalAll(server, 'SIGKILL');
  await server.running.exited;
}

async function connected({ running }: Pick<Server, 'running'>): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: running.url(templateDatabase) });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function ask<Row extends pg.QueryResultRow>(
  server: Pick<Server, 'running'>,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = await connected(server);
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** Resolves once the condition holds; fails after 30 s. */
export async function until(holds: () => Promise<boolean>, limitMs = 30_000): Promise<void> {
  for (const deadline = Date.now() + limitMs; !(await holds()); await delay(20))
    if (Date.now() > deadline) throw new Error('Waited in vain.');
}
