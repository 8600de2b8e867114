import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { type Prisma, PrismaClient } from '#prisma/client.ts';
import { type DatabaseOptions, DatabasePools } from './connections/database-pools.ts';
import { DiskWatch } from './connections/full-disk.ts';
import { PrimaryGuard } from './connections/primary-guard.ts';
import { prismaTransaction } from './connections/prisma-pool.ts';
import { copyOut } from './copy/copy.ts';
import { LargeTotals } from './lists/large-totals.ts';
import { createNotices, noNotices, type Notices } from './notices.ts';
import { openReplica, type ReplicaAccess } from './replica/open-replica.ts';
import { inTransaction } from './sql-transaction.ts';
import { scopeTo } from './statements/scoped-query.ts';
import { tenantQuery, type TenantStatement } from './statements/tenant-query.ts';
import { createReaders, type TenantReader } from './tenant-reader.ts';
import type { Pipelined, Tx } from './tx.ts';

/** A transaction that sees one tenant: Prisma for rows by key, `query` for SQL. */
export type TenantTx = Prisma.TransactionClient & Tx;
/** A transaction as causeway_system, which sees every tenant: filter by tenant yourself. */
export type SystemTx = Tx;

/**
 * The only access to the database:
 *
 * |                  | Prisma: transaction, statement | SQL: transaction, statement     |
 * |------------------|--------------------------------|---------------------------------|
 * | one tenant       | `withTenant`, `reader`         | `withTenantSql`, `tenantQuery`  |
 * | no tenant        | `withTenant(null)`, `global`   | `withTenantSql(null)`           |
 * | every tenant     |                                | `withSystem`, `system.query`    |
 *
 * Without a tenant, row-level security hides the tenants' tables: what is left are organisations, users and the node catalogue.
 * SQL transactions are planned by key (docs/decisions/system-role-plans-by-key.md). One whose work returns `Pipelined` sends COMMIT
 * in one write with the last statements; where one of them fails, Postgres rolls back, and the caller gets its failure.
 * Do no I/O in a transaction other than on the database.
 */
export interface Database {
  /** Runs `work` in one transaction that sees the rows of the tenant alone. */
  withTenant<T>(tenantId: string | null, work: (tx: TenantTx) => Promise<T>): Promise<T>;
  /**
   * The same in SQL alone, without Prisma's cost: for what moves runs. Work of several tenants shares one commit without a tenant,
   * in `forEachTenant`, which holds each statement to its tenant.
   */
  withTenantSql<T>(tenantId: string | null, work: (tx: Tx) => Promise<T | Pipelined<T>>): Promise<T>;
  /** Runs `work` as causeway_system, which moves runs, jobs and events of all tenants. */
  withSystem<T>(work: (tx: SystemTx) => Promise<T | Pipelined<T>>): Promise<T>;
  /** A reader for resolvers: every call runs in its own tenant-scoped transaction. */
  reader(tenantId: string): TenantReader;
  global: PrismaClient;
  /** Runs one statement scoped to the tenant in one round trip, for measured hot paths. */
  tenantQuery<Row extends pg.QueryResultRow>(tenantId: string, query: TenantStatement): Promise<Row[]>;
  system: pg.Pool;
  /** Sessions of causeway_system, for locks that are held for longer than a transaction. */
  systemSessions: pg.Pool;
  /** Streams the output of `COPY (...) TO STDOUT` over the tenant's rows, from one snapshot. */
  copyOut(tenantId: string, statement: string): AsyncGenerator<Buffer>;
  /** For notices outside of a transaction; inside one, use its `notify`. */
  notices: Notices;
  /** Knows which server the process writes to; other code that connects must pass its connections to it. */
  primary: PrimaryGuard;
  /** Present where reads of tenants may be answered by a replica. */
  replica?: ReplicaAccess;
  /** Opens a connection of each pool; fails if its session does not act as the pool's role. */
  assertRoles(): Promise<void>;
  /** The connections of each pool: in use, idle, and how many callers wait for one. */
  connections(): ReturnType<DatabasePools['count']>;
  /** True unless the server has refused a write for lack of disk space. */
  hasRoom(): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * The database for reads of a tenant that may take a moment longer and must find all that was committed before the call, such as an
 * export's; on a replica if there is one.
 */
export function latestReads(database: Database, tenantId: string): Database {
  database.replica?.positions.wrote(tenantId);
  return database.replica?.reads ?? database;
}

const transactionLimits = { maxWait: 10_000, timeout: 15_000 };

/** Opens the pools; they connect at their first use. */
export function openDatabase(options: DatabaseOptions): Database {
  const primary = new PrimaryGuard(options.log);
  const pools = new DatabasePools(options, primary, () => disk.refused());
  const { appPool, tenantPool, systemPool, report } = pools;
  const notices = options.wakeUp === 'poll' ? noNotices : createNotices({ pool: pools.noticePool, onError: report });
  const disk = new DiskWatch((work) => inTransaction(systemPool, notices, work));
  const global = new PrismaClient({
    adapter: new PrismaPg(appPool, { onConnectionError: report }),
    transactionOptions: transactionLimits,
  });

  const totals = new LargeTotals();
  const database: Database = {
    withTenant: (tenantId, work) =>
      prismaTransaction(global, notices, async (tx) => {
        if (tenantId !== null) await tx.query(scopeTo(tenantId));
        return work(tx);
      }),
    withTenantSql: (tenantId, work) =>
      inTransaction(tenantPool, notices, (tx) => {
        // Sent with the first statement of `work`, which fails if this one does.
        if (tenantId !== null) tx.query(scopeTo(tenantId)).catch(() => undefined);
        return work(tx);
      }),
    withSystem: (work) => inTransaction(systemPool, notices, work),
    reader: createReaders(global),
    global,
    tenantQuery: (tenantId, query) => totals.apply(tenantId, query, () => tenantQuery(appPool, tenantId, query)),
    system: systemPool,
    systemSessions: pools.lockPool,
    copyOut: (tenantId, statement) => copyOut(appPool, tenantId, statement),
    notices,
    primary,
    assertRoles: () => pools.assertRoles(),
    connections: () => [...pools.count(), ...(replica?.connections() ?? [])],
    hasRoom: () => disk.hasRoom(),
    async close() {
      await notices.close();
      await global.$disconnect();
      await pools.close();
      await replica?.close();
    },
  };
  const { replicaUrl } = options;
  const replica =
    replicaUrl === undefined ? undefined : openReplica({ ...options, replicaUrl, primary: database, systemPool });
  if (replica) database.replica = replica.access;
  return database;
}
