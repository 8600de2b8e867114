import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { type Prisma, PrismaClient } from '#prisma/client.ts';
import { staleError } from './connections/database-client.ts';
import { DatabasePool } from './connections/database-pool.ts';
import { DiskWatch } from './connections/full-disk.ts';
import { postgresSocket } from './connections/postgres-socket.ts';
import { PrimaryGuard, type PrimaryLog } from './connections/primary-guard.ts';
import { PrismaPool, prismaTransaction } from './connections/prisma-pool.ts';
import { SilenceWatch } from './connections/silence-watch.ts';
import { copyOut } from './copy/copy.ts';
import { collectEffects, createNotices, type Notices } from './notices.ts';
import { isStaleStatement } from './outages.ts';
import { scopeTo, ScopedQuery, scopeToPlanned } from './statements/scoped-query.ts';
import { together, type Sent, type Tx } from './tx.ts';

// Ids are bigint in the database but stay below 2^53, so raw queries read them as plain numbers.
const int8 = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format)) as never,
};

/** A transaction that sees one tenant: Prisma for rows by key, `query` for SQL. */
export type TenantTx = Prisma.TransactionClient & Tx;
/** A transaction as causeway_system, which sees every tenant: filter by tenant yourself. */
export type SystemTx = Tx;
/** A Prisma client whose every operation runs in a transaction that sees one tenant. */
export type TenantReader = ReturnType<typeof readerFor>;

/**
 * The only access to the database. `global` is for tables without a tenant (organisations, users, the node catalogue); it sees no rows of
 * tenant tables, because its transactions set no tenant. `system` acts as causeway_system: it processes runs, jobs and events of all
 * tenants, in raw SQL.
 */
export interface Database {
  global: PrismaClient;
  /** Runs `work` in one transaction scoped to the tenant. Do no I/O in it other than on the database. */
  withTenant<T>(tenantId: string, work: (tx: TenantTx) => Promise<T>): Promise<T>;
  /**
   * The same in SQL only: without Prisma's cost, and planned by key like the system's statements
   * (docs/decisions/system-role-plans-by-key.md). For code that executes runs.
   */
  withTenantSql<T>(tenantId: string, work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * The same for work of several tenants that shares one commit. The transaction sees tenants' rows only through `forEachTenant`, which
   * scopes each statement to its tenant.
   */
  withTenantsSql<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * The same for work that does not wait for its last statements: COMMIT leaves in one write with them. If one of them fails, Postgres
   * rolls back, and the caller gets that failure.
   */
  withTenantsSqlSent<T>(work: (tx: Tx) => Promise<Sent<T>>): Promise<T>;
  /** Runs `work` in one transaction over the tables that `global` is for; it sees no rows of tenant tables. */
  withoutTenant<T>(work: (tx: Prisma.TransactionClient & Tx) => Promise<T>): Promise<T>;
  /** A reader for resolvers: every call runs in its own tenant-scoped transaction. */
  reader(tenantId: string): TenantReader;
  /**
   * Runs one raw statement scoped to the tenant in one round trip, for measured hot paths. With a `name` it is prepared; with `plannedOnce`
   * its plan is generic, not made for its values.
   */
  tenantQuery<Row extends pg.QueryResultRow>(
    tenantId: string,
    query: pg.QueryConfig & { plannedOnce?: boolean },
  ): Promise<Row[]>;
  /** Streams the output of `COPY (...) TO STDOUT` over the tenant's rows, from one snapshot. */
  copyOut(tenantId: string, statement: string): AsyncGenerator<Buffer>;
  system: pg.Pool;
  /** Runs `work` in one transaction as causeway_system. */
  withSystem<T>(work: (tx: SystemTx) => Promise<T>): Promise<T>;
  /** For notices outside of a transaction; inside one, use its `notify`. */
  notices: Notices;
  /** Knows which server the process writes to; other code that connects must pass its connections to it. */
  primary: PrimaryGuard;
  /** Opens a connection of each pool; fails if its session does not act as the pool's role. */
  assertRoles(): Promise<void>;
  /** True unless the server has refused a write for lack of disk space. */
  hasRoom(): Promise<boolean>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** Connection URL of a user that may assume the roles causeway_app and causeway_system. */
  url: string;
  /** Connections of the application pool; each of the two pools that execute runs has half as many, at least four. */
  poolSize: number;
  applicationName?: string;
  onError?: (error: Error) => void;
  log?: PrimaryLog;
  /** The server's limit for one statement; 30 s. */
  statementMs?: number;
}

const rememberedReaders = 1_000;
/**
 * causeway_system works by key: it joins arrays of keys to tables by their primary key. On tables that have grown since they
 * were last analysed, the planner prefers to scan them whole: a claim of 100 runs then took 60 ms instead of 4.
 */
const keyedPlans = ['seqscan', 'hashjoin', 'mergejoin', 'material', 'bitmapscan']
  .map((way) => `-c enable_${way}=off`)
  .join(' ');
/**
 * Code that executes runs passes arrays of keys, so a plan for the actual values is no better than a generic one. By default Postgres
 * replanned each execution for seconds on end, which took a tenth of the execution time.
 */
const plannedForAnyValues = '-c plan_cache_mode=force_generic_plan';
/**
 * System transactions wait for nothing but the database. An idle one belongs to a stopped process, and the processes that take over its
 * work need the rows that it has locked.
 */
const systemIdleLimit = '-c idle_in_transaction_session_timeout=5000';
const transactionLimits = { maxWait: 10_000, timeout: 15_000 };

const scope = (client: Pick<PrismaClient, '$executeRaw'>, tenantId: string) =>
  client.$executeRaw`SELECT set_config('causeway.tenant_id', ${tenantId}, true)`;

function readerFor(client: PrismaClient, tenantId: string) {
  return client.$extends({
    query: {
      $allModels: {
        async $allOperations({ args, query }) {
          const [, answer] = await client.$transaction([scope(client, tenantId), query(args) as never]);
          return answer;
        },
      },
    },
  });
}

/** Opens the pools; they connect at their first use. */
export function openDatabase(options: DatabaseOptions): Database {
  const { statementMs = 30_000 } = options;
  const primary = new PrimaryGuard(options.log);
  const connection = (role: string, max: number, settings = '') => ({
    primary,
    connectionString: options.url,
    // The session starts with this role, whether the URL's user is a dedicated login, an owner or a superuser.
    options: `-c role=${role} -c timezone=UTC -c statement_timeout=${statementMs} -c idle_in_transaction_session_timeout=60000 ${settings}`,
    application_name: options.applicationName ?? 'causeway',
    max,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    stream: () => postgresSocket(statementMs),
  });
  const report = (error: Error) => options.onError?.(error);
  const app = new PrismaPool({ ...connection('causeway_app', options.poolSize), types });
  // Pools that execute runs pipeline their statements where possible. Streams (COPY) cannot be pipelined, so the pool for everything else
  // is not.
  const mover = (role: string) => ({
    ...connection(
      role,
      Math.max(4, Math.ceil(options.poolSize / 2)),
      `${keyedPlans} ${plannedForAnyValues} ${systemIdleLimit}`,
    ),
    types,
    pipeline: true,
  });
  const tenantSql = new DatabasePool(mover('causeway_app'));
  const system = new DatabasePool(mover('causeway_system'));
  // Its commits are worthless after a crash, so they do not wait for the disk.
  const telling = new DatabasePool({
    ...connection('causeway_system', 1, '-c synchronous_commit=off'),
    query_timeout: 5_000,
  });
  const watch = new SilenceWatch({
    primary,
    connectionString: options.url,
    application_name: options.applicationName ?? 'causeway',
  });
  const disk = new DiskWatch((work) => inTransaction(system, notices, work));
  const pools = [app, tenantSql, system, telling];
  for (const pool of pools) {
    // The pool drops a broken connection (after a database restart, for example). Without a listener the event would end the process. The
    // pool does not listen to a connection in use; its current or next query reports the failure.
    pool.on('error', report);
    // Otherwise each pool would learn of it only by a failure of its own.
    pool.onStale = (error) => {
      report(error);
      for (const every of pools) every.renew();
    };
    pool.onFull = () => disk.refused();
    watch.over(pool);
  }
  const notices = createNotices({ pool: telling, onError: report });
  const readers = new Map<string, TenantReader>();
  const global = new PrismaClient({
    adapter: new PrismaPg(app, { onConnectionError: report }),
    transactionOptions: transactionLimits,
  });

  return {
    global,
    withTenant: (tenantId, work) =>
      prismaTransaction(global, notices, async (tx) => {
        await tx.query(scopeTo(tenantId));
        return work(tx);
      }),
    withTenantSql: (tenantId, work) =>
      inTransaction(tenantSql, notices, (tx) => {
        // Sent with the first statement of `work`, which fails if this one does.
        tx.query(scopeTo(tenantId)).catch(() => undefined);
        return work(tx);
      }),
    withTenantsSql: (work) => inTransaction(tenantSql, notices, work),
    withTenantsSqlSent: (work) => inSentTransaction(tenantSql, notices, work),
    withoutTenant: (work) => prismaTransaction(global, notices, work),
    reader(tenantId) {
      let reader = readers.get(tenantId);
      if (!reader) {
        if (readers.size >= rememberedReaders) readers.clear();
        readers.set(tenantId, (reader = readerFor(global, tenantId)));
      }
      return reader;
    },
    tenantQuery: (tenantId, { plannedOnce = false, ...query }) =>
      new Promise((resolve, reject) => {
        const send = (isRepeated: boolean): void =>
          app.connect((failure, client, release) => {
            if (failure || !client) return reject(failure ?? new Error('The pool gave no connection.'));
            client.query(
              new ScopedQuery(
                (plannedOnce ? scopeToPlanned : scopeTo)(tenantId),
                { values: [], types, ...query },
                (error, result) => {
                  release(error);
                  if (!error) resolve(result.rows as never);
                  else if (isRepeated || !isStaleStatement(error)) reject(error);
                  else send(true);
                },
              ),
            );
          });
        send(false);
      }),
    copyOut: (tenantId, statement) => copyOut(app, tenantId, statement),
    system,
    withSystem: (work) => inTransaction(system, notices, work),
    notices,
    primary,
    async assertRoles() {
      await Promise.all(pools.map(async (pool) => (await pool.connect()).release()));
    },
    hasRoom: () => disk.hasRoom(),
    async close() {
      await notices.close();
      await global.$disconnect();
      await Promise.all(pools.map((pool) => pool.end().catch(() => undefined)));
    },
  };
}

const firstPlansMs = 500;
const longestPlansMs = 60_000;
const plansOf = new WeakMap<pg.PoolClient, { until: number; forMs: number }>();

/**
 * Makes the prepared statements of a connection be planned again: soon after it opened, then at growing intervals. A plan is kept as it was
 * made, and one for an empty table or partition may use any index; once there were rows, a claim of 50 runs took 37 ms instead of 3.
 */
function renewPlans(client: pg.PoolClient): void {
  const now = performance.now();
  const plans = plansOf.get(client);
  if (plans && now < plans.until) return;
  const forMs = plans ? Math.min(2 * plans.forMs, longestPlansMs) : firstPlansMs;
  plansOf.set(client, { until: now + forMs, forMs });
  if (plans) client.query('DISCARD PLANS').catch(() => undefined);
}

const inTransaction = <T>(pool: pg.Pool, notices: Notices, work: (tx: Tx) => Promise<T>): Promise<T> =>
  inSentTransaction(pool, notices, async (tx) => ({ sent: Promise.resolve(await work(tx)) }));

function inSentTransaction<T>(pool: pg.Pool, notices: Notices, work: (tx: Tx) => Promise<Sent<T>>): Promise<T> {
  const { afterCommit, ...effects } = collectEffects(notices);
  return afterCommit(async () => {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      renewPlans(client);
      // Sent with the first statement of `work`; its failure is awaited below.
      const begun = client.query('BEGIN');
      begun.catch(() => undefined);
      const { sent } = await work({ query: client.query.bind(client), ...effects });
      await begun;
      const [answer] = await together([sent, client.query('COMMIT')]);
      return answer;
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken = failure;
      });
      // Statements sent behind a stale one fail as well, and may be reported first.
      throw staleError(client) ?? error;
    } finally {
      client.release(broken);
    }
  });
}
