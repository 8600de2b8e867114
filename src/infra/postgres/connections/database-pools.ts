import { plainNumbers } from '#src/infra/postgres/statements/instants.ts';
import { productVersion } from '#src/infra/product-version.ts';
import { DatabaseClient } from './database-client.ts';
import { DatabasePool, type PooledConfig } from './database-pool.ts';
import { type PoolerEntry, PoolerProbe } from './pooler-client.ts';
import { postgresSocket } from './postgres-socket.ts';
import type { PrimaryGuard, PrimaryLog } from './primary-guard.ts';
import { PrismaPool } from './prisma-pool.ts';
import { readServerAndDatabase } from './server-session.ts';
import {
  type DatabaseRole,
  forKeyedWork,
  type SessionSettings,
  sessionSettings,
  toOptions,
} from './session-settings.ts';
import { SilenceWatch } from './silence-watch.ts';

export interface DatabaseOptions {
  /** Connection URL of a user that may assume the roles causeway_app and causeway_system. */
  url: string;
  /** Connection URL of standbys, as the same user, for reads of tenants; absent where the primary answers all. */
  replicaUrl?: string | undefined;
  /** Connections of the application pool; each of the two pools that execute runs has half as many, at least four. */
  poolSize: number;
  applicationName?: string;
  onError?: (error: Error) => void;
  log?: PrimaryLog;
  /** The URLs of poolers in transaction mode, whose logins may act as causeway_app, and as both roles. */
  poolers?: { appUrl: string; systemUrl: string };
  /** How other processes learn of changes: by notices, or by reading the tables each second. */
  wakeUp?: 'listen' | 'poll';
  /** The server's limit for one statement; 30 s. */
  statementMs?: number;
}

const defaultStatementMs = 30_000;

/** Sends statements without waiting for the one before. Streams (COPY) cannot be pipelined. */
const pipelined = { types: plainNumbers, pipeline: true };

const keptAlive = (statementMs: number) => ({
  idleTimeoutMillis: 30_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  stream: () => postgresSocket(statementMs),
});

/** The connection pools of a process; they connect at their first use. */
export class DatabasePools {
  readonly #options: DatabaseOptions;
  readonly #primary: PrimaryGuard;
  /** For Prisma, COPY and a tenant's single statements. */
  readonly appPool: PrismaPool;
  /** For a tenant's transactions in SQL. */
  readonly tenantPool: DatabasePool;
  /** As causeway_system, for what moves runs, jobs and events of all tenants. */
  readonly systemPool: DatabasePool;
  /** One connection that sends notices. */
  readonly noticePool: DatabasePool;
  /** For locks that are held for longer than a transaction. */
  readonly lockPool: DatabasePool;
  readonly #all: DatabasePool[];
  /** Increases when statements that were prepared before must not be used any more. */
  #generation = 0;

  /** `onFull` is called when the server lacks disk space. */
  constructor(options: DatabaseOptions, primary: PrimaryGuard, onFull: () => void) {
    this.#options = options;
    this.#primary = primary;
    const { poolSize } = options;
    const sqlPoolSize = Math.max(4, Math.ceil(poolSize / 2));
    const app = this.#way('causeway_app');
    const system = this.#way('causeway_system');
    this.appPool = new PrismaPool({ ...app('application'), max: poolSize, types: plainNumbers });
    this.tenantPool = new DatabasePool({ ...app('tenant SQL', forKeyedWork), ...pipelined, max: sqlPoolSize });
    this.systemPool = new DatabasePool({ ...system('system', forKeyedWork), ...pipelined, max: sqlPoolSize });
    this.noticePool = new DatabasePool({
      // A notice is worthless after a crash, so its commit does not wait for the disk.
      ...this.#direct('causeway_system', { synchronous_commit: 'off' }),
      max: 1,
      query_timeout: 5_000,
    });
    const { poolers } = options;
    this.lockPool = poolers ? new DatabasePool({ ...this.#direct('causeway_system'), max: 4 }) : this.systemPool;
    this.#all = [...new Set([this.appPool, this.tenantPool, this.systemPool, this.noticePool, this.lockPool])];
    for (const pool of this.#all) this.#watch(pool, onFull);
    this.#watchSilence();
    if (poolers) primary.askDirectly = () => this.#askDirectly();
  }

  /** Opens a connection of each pool; fails if its session does not act as the pool's role. */
  async assertRoles(): Promise<void> {
    await Promise.all(this.#all.map(async (pool) => (await pool.connect()).release()));
  }

  /** The connections of each pool: in use, idle, and how many callers wait for one. */
  count(): { pool: string; busy: number; idle: number; waiting: number }[] {
    const named = { application: this.appPool, 'tenant SQL': this.tenantPool, system: this.systemPool };
    return Object.entries(named).map(([pool, { totalCount, idleCount: idle, waitingCount: waiting }]) => ({
      pool,
      busy: totalCount - idle,
      idle,
      waiting,
    }));
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((pool) => pool.end().catch(() => undefined)));
  }

  readonly report = (error: Error): void => this.#options.onError?.(error);

  get #login() {
    return {
      primary: this.#primary,
      connectionString: this.#options.url,
      application_name: this.#options.applicationName ?? 'causeway',
    };
  }

  /** How the pools of a role connect: directly, or through a pooler. */
  #way(role: DatabaseRole): (pool: string, added?: SessionSettings) => PooledConfig {
    const { poolers, statementMs = defaultStatementMs } = this.#options;
    if (!poolers) return (_pool, added) => this.#direct(role, added);
    const [variable, connectionString] =
      role === 'causeway_app'
        ? (['DATABASE_APP_URL', poolers.appUrl] as const)
        : (['DATABASE_SYSTEM_URL', poolers.systemUrl] as const);
    return (pool, added) => {
      const entry: PoolerEntry = {
        variable,
        role,
        settings: sessionSettings(role, statementMs, added),
        statementsTag: () => `${pool} ${productVersion}.${this.#generation}`,
      };
      return { ...this.#login, ...keptAlive(statementMs), connectionString, entry };
    };
  }

  #direct(role: DatabaseRole, added?: SessionSettings): PooledConfig {
    const { statementMs = defaultStatementMs } = this.#options;
    // The session starts with this role, whether the URL's user is a dedicated login, an owner or a superuser.
    return {
      ...this.#login,
      ...keptAlive(statementMs),
      options: toOptions(sessionSettings(role, statementMs, added)),
    };
  }

  /** The server and database to which DATABASE_URL leads. */
  async #askDirectly(): Promise<string | undefined> {
    const client = new DatabaseClient(this.#login);
    try {
      await client.connect();
      return await readServerAndDatabase(client);
    } finally {
      void client.end().catch(() => undefined);
    }
  }

  /** A pooler may be silent while its server is not, and accepts connections while its server is silent. */
  #watchSilence(): void {
    const { poolers } = this.#options;
    const toServer = () => new DatabaseClient(this.#login);
    const direct = new SilenceWatch(toServer);
    const pooled = poolers
      ? new SilenceWatch(
          toServer,
          ...[poolers.appUrl, poolers.systemUrl].map((connectionString) => () => new PoolerProbe({ connectionString })),
        )
      : direct;
    for (const pool of this.#all) (pool === this.noticePool || pool === this.lockPool ? direct : pooled).over(pool);
  }

  #watch(pool: DatabasePool, onFull: () => void): void {
    // The pool drops a broken connection (after a database restart, for example). Without a listener the event would end the process. The
    // pool does not listen to a connection in use; its current or next query reports the failure.
    pool.on('error', this.report);
    // Otherwise each pool would learn of it only by a failure of its own.
    pool.onStale = (error) => {
      this.#generation += 1;
      this.report(error);
      for (const every of this.#all) every.renew();
    };
    pool.onFull = onFull;
  }
}
