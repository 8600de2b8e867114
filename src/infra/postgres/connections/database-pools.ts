import { plainNumbers } from '#src/infra/postgres/statements/instants.ts';
import { DatabasePool } from './database-pool.ts';
import { postgresSocket } from './postgres-socket.ts';
import type { PrimaryGuard, PrimaryLog } from './primary-guard.ts';
import { PrismaPool } from './prisma-pool.ts';
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
  /** The server's limit for one statement; 30 s. */
  statementMs?: number;
}

/**
 * Code that executes runs works by key: it joins arrays of keys to tables by their primary key. On tables that have grown since they
 * were last analysed, the planner prefers to scan them whole: a claim of 100 runs then took 60 ms instead of 4.
 */
const keyedPlans = ['seqscan', 'hashjoin', 'mergejoin', 'material', 'bitmapscan']
  .map((node) => `-c enable_${node}=off`)
  .join(' ');
/**
 * It passes arrays of keys, so a plan for the actual values is no better than a generic one. By default Postgres replanned each
 * execution for seconds on end, which took a tenth of the execution time.
 */
const genericPlans = '-c plan_cache_mode=force_generic_plan';
/**
 * Its transactions wait for nothing but the database. An idle one belongs to a stopped process, and the processes that take over
 * its work need the rows that it has locked.
 */
const shortIdleLimit = '-c idle_in_transaction_session_timeout=5000';

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
  readonly #all: DatabasePool[];

  /** `onFull` is called when the server lacks disk space. */
  constructor(options: DatabaseOptions, primary: PrimaryGuard, onFull: () => void) {
    this.#options = options;
    this.#primary = primary;
    const { poolSize } = options;
    const sqlPoolSize = Math.max(4, Math.ceil(poolSize / 2));
    this.appPool = new PrismaPool({ ...this.#session('causeway_app'), max: poolSize, types: plainNumbers });
    this.tenantPool = new DatabasePool({ ...this.#pipelined('causeway_app'), max: sqlPoolSize });
    this.systemPool = new DatabasePool({ ...this.#pipelined('causeway_system'), max: sqlPoolSize });
    this.noticePool = new DatabasePool({
      // A notice is worthless after a crash, so its commit does not wait for the disk.
      ...this.#session('causeway_system', '-c synchronous_commit=off'),
      max: 1,
      query_timeout: 5_000,
    });
    this.#all = [this.appPool, this.tenantPool, this.systemPool, this.noticePool];
    for (const pool of this.#all) this.#watch(pool, onFull);
    const silence = new SilenceWatch({ ...this.#login });
    for (const pool of this.#all) silence.over(pool);
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

  #session(role: string, settings = '') {
    const { statementMs = 30_000 } = this.#options;
    return {
      ...this.#login,
      // The session starts with this role, whether the URL's user is a dedicated login, an owner or a superuser.
      options: `-c role=${role} -c timezone=UTC -c statement_timeout=${statementMs} -c idle_in_transaction_session_timeout=60000 ${settings}`,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      stream: () => postgresSocket(statementMs),
    };
  }

  /** Sends statements without waiting for the one before. Streams (COPY) cannot be pipelined. */
  #pipelined(role: string) {
    const settings = `${keyedPlans} ${genericPlans} ${shortIdleLimit}`;
    return { ...this.#session(role, settings), types: plainNumbers, pipeline: true };
  }

  #watch(pool: DatabasePool, onFull: () => void): void {
    // The pool drops a broken connection (after a database restart, for example). Without a listener the event would end the process. The
    // pool does not listen to a connection in use; its current or next query reports the failure.
    pool.on('error', this.report);
    // Otherwise each pool would learn of it only by a failure of its own.
    pool.onStale = (error) => {
      this.report(error);
      for (const every of this.#all) every.renew();
    };
    pool.onFull = onFull;
  }
}
