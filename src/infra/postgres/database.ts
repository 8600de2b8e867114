import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { type Prisma, PrismaClient } from '#prisma/client.ts';
import { type DatabaseOptions, DatabasePools } from './connections/database-pools.ts';
import { DiskWatch } from './connections/full-disk.ts';
import { PrimaryGuard } from './connections/primary-guard.ts';
import { prismaTransaction } from './connections/prisma-pool.ts';
import { copyOut } from './copy/copy.ts';
import { createNotices, type Notices } from './notices.ts';
import { inSentTransaction, inTransaction } from './sql-transaction.ts';
import { scopeTo } from './statements/scoped-query.ts';
import { tenantQuery, type TenantStatement } from './statements/tenant-query.ts';
import { createReaders, type TenantReader } from './tenant-reader.ts';
import type { Sent, Tx } from './tx.ts';

/** A transaction that sees one tenant: Prisma for rows by key, `query` for SQL. */
export type TenantTx = Prisma.TransactionClient & Tx;
/** A transaction as causeway_system, which sees every tenant: filter by tenant yourself. */
export type SystemTx = Tx;

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
    query: TenantStatement,
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

const transactionLimits = { maxWait: 10_000, timeout: 15_000 };

/** Opens the pools; they connect at their first use. */
export function openDatabase(options: DatabaseOptions): Database {
  const primary = new PrimaryGuard(options.log);
  const pools = new DatabasePools(options, primary, () => disk.refused());
  const { appPool, tenantPool, systemPool, report } = pools;
  const notices = createNotices({ pool: pools.noticePool, onError: report });
  const disk = new DiskWatch((work) => inTransaction(systemPool, notices, work));
  const global = new PrismaClient({
    adapter: new PrismaPg(appPool, { onConnectionError: report }),
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
      inTransaction(tenantPool, notices, (tx) => {
        // Sent with the first statement of `work`, which fails if this one does.
        tx.query(scopeTo(tenantId)).catch(() => undefined);
        return work(tx);
      }),
    withTenantsSql: (work) => inTransaction(tenantPool, notices, work),
    withTenantsSqlSent: (work) => inSentTransaction(tenantPool, notices, work),
    withoutTenant: (work) => prismaTransaction(global, notices, work),
    reader: createReaders(global),
    tenantQuery: (tenantId, query) => tenantQuery(appPool, tenantId, query),
    copyOut: (tenantId, statement) => copyOut(appPool, tenantId, statement),
    system: systemPool,
    withSystem: (work) => inTransaction(systemPool, notices, work),
    notices,
    primary,
    assertRoles: () => pools.assertRoles(),
    hasRoom: () => disk.hasRoom(),
    async close() {
      await notices.close();
      await global.$disconnect();
      await pools.close();
    },
  };
}
