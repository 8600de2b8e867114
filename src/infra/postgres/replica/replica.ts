import { setTimeout as delay } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { PrismaClient } from '#prisma/client.ts';
import { observations } from '#src/infra/observations/observations.ts';
import { DatabaseClient } from '#src/infra/postgres/connections/database-client.ts';
import { postgresSocket } from '#src/infra/postgres/connections/postgres-socket.ts';
import { PrismaPool } from '#src/infra/postgres/connections/prisma-pool.ts';
import { SilenceWatch } from '#src/infra/postgres/connections/silence-watch.ts';
import { copyOut } from '#src/infra/postgres/copy/copy.ts';
import { LargeTotals } from '#src/infra/postgres/lists/large-totals.ts';
import { sqlState } from '#src/infra/postgres/sql-errors.ts';
import { plainNumbers } from '#src/infra/postgres/statements/instants.ts';
import { scopeReplayed, scopeTo } from '#src/infra/postgres/statements/scoped-query.ts';
import { tenantQuery, type TenantStatement } from '#src/infra/postgres/statements/tenant-query.ts';
import { rememberReaders, type TenantReader } from '#src/infra/postgres/tenant-reader.ts';
import type { NeededPositions } from './needed-positions.ts';
import { isPrimaryError } from './primary-error.ts';
import { ReplicaHealth } from './replica-health.ts';
import { later, toLsn, type WalPosition } from './wal-position.ts';

/** The reads of one tenant, which a replica can answer as well. */
export interface TenantReads {
  reader(tenantId: string): TenantReader;
  tenantQuery<Row extends pg.QueryResultRow>(tenantId: string, query: TenantStatement): Promise<Row[]>;
  copyOut(tenantId: string, statement: string): AsyncGenerator<Buffer>;
}

export interface ReplicaOptions {
  url: string;
  poolSize: number;
  applicationName: string;
  statementMs: number;
  onError: (error: Error) => void;
  positions: NeededPositions;
  /** Refuses a standby of another server than the primary. */
  assertFollows: (standby: pg.Client) => Promise<void>;
  /** The same reads on the primary, which answers where the replica cannot. */
  primary: TenantReads;
}

/** How long a read waits for a standby that has not replayed its tenant's last write. */
const patienceMs = 50;
const pauseMs = 5;
/** How long a lock that the standby replays, such as that of a migration, may hold up a read. */
const lockMs = 300;

/** How long copies are made on the primary after a standby has cancelled one. */
const copyPauseMs = 600_000;

const behindState = 'CW001';
/** The limit for one statement, which the primary would reach as well. */
const outOfTimeState = '57014';

/**
 * Reads of tenants on standbys of the primary. Each statement makes sure that its standby has replayed what it needs, in the same round
 * trip: the URL may lead to several standbys, and a pooler to another one each time. What a standby fails to answer, for whatever reason,
 * is read on the primary, whose answer or error counts.
 */
export class Replica implements TenantReads {
  readonly #options: ReplicaOptions;
  readonly #pool: PrismaPool;
  readonly #client: PrismaClient;
  readonly #health: ReplicaHealth;
  readonly #totals = new LargeTotals();
  /** Copies are made on the primary until then. */
  #copiesAt = 0;
  readonly reader = rememberReaders((tenantId) => this.#makeReader(tenantId));

  constructor(options: ReplicaOptions) {
    this.#options = options;
    const { url, poolSize, applicationName, statementMs, onError } = options;
    const login = { connectionString: url, application_name: applicationName, isReplica: true };
    this.#pool = new PrismaPool({
      ...login,
      assertFollows: options.assertFollows,
      max: poolSize,
      types: plainNumbers,
      options: `-c role=causeway_app -c timezone=UTC -c statement_timeout=${statementMs} -c lock_timeout=${lockMs} -c idle_in_transaction_session_timeout=60000`,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      stream: () => postgresSocket(statementMs),
    });
    this.#pool.on('error', onError);
    new SilenceWatch(() => new DatabaseClient(login)).over(this.#pool);
    this.#client = new PrismaClient({ adapter: new PrismaPg(this.#pool, { onConnectionError: onError }) });
    this.#health = new ReplicaHealth(this.#pool, onError, () => options.positions.newest()?.byte);
  }

  tenantQuery<Row extends pg.QueryResultRow>(tenantId: string, query: TenantStatement): Promise<Row[]> {
    const onReplica = ({ timeline, byte }: WalPosition) =>
      tenantQuery<Row>(this.#pool, tenantId, query, (scope) =>
        scopeReplayed(scope, timeline, toLsn({ timeline, byte })),
      );
    // A total that the primary's reads remember would be remembered here for as long again.
    const onPrimary = () => this.#options.primary.tenantQuery<Row>(tenantId, { ...query, countsList: false });
    return this.#totals.apply(tenantId, query, () => this.#read(tenantId, onReplica, onPrimary));
  }

  /**
   * A standby may cancel a long copy in the middle, because it reads what the primary has removed meanwhile. The copy then fails; those that
   * this process begins in the next minutes, such as the same one again, are made on the primary.
   */
  async *copyOut(tenantId: string, statement: string): AsyncGenerator<Buffer> {
    const onPrimary = () => begin(this.#options.primary.copyOut(tenantId, statement), 'primary');
    const onReplica = (position: WalPosition) => {
      const scope = scopeReplayed(scopeTo(tenantId), position.timeline, toLsn(position));
      return begin(copyOut(this.#pool, tenantId, statement, scope), 'replica');
    };
    const isSpared = performance.now() < this.#copiesAt;
    const { first, chunks, by } = isSpared ? await onPrimary() : await this.#read(tenantId, onReplica, onPrimary);
    try {
      if (!first.done) yield first.value;
      yield* chunks;
    } catch (error) {
      if (by === 'replica') this.#copiesAt = performance.now() + copyPauseMs;
      throw error;
    } finally {
      await chunks.return(undefined);
    }
  }

  /** How far the replica is behind, in seconds; undefined where nobody knows. */
  lagSeconds(): number | undefined {
    // Both ask anew, for the next time, where nobody reads.
    this.#options.positions.floor();
    this.#health.isUsable();
    return this.#health.lagSeconds();
  }

  connections(): { busy: number; idle: number; waiting: number } {
    const { totalCount, idleCount: idle, waitingCount: waiting } = this.#pool;
    return { busy: totalCount - idle, idle, waiting };
  }

  async close(): Promise<void> {
    await this.#client.$disconnect();
    await this.#pool.end().catch(() => undefined);
  }

  #makeReader(tenantId: string): TenantReader {
    const client = this.#client;
    const onPrimary = this.#options.primary.reader(tenantId);
    const reader = client.$extends({
      query: {
        $allModels: {
          $allOperations: ({ model, operation, args, query }) =>
            this.#read(
              tenantId,
              async (position) => {
                const lsn = toLsn(position);
                const scope = client.$executeRaw`SELECT set_config('causeway.tenant_id', ${tenantId}, true), assert_replayed(${position.timeline}::int, ${lsn}::pg_lsn)`;
                const [, answer] = await client.$transaction([scope, query(args) as never]);
                return answer;
              },
              () => callReader(onPrimary, model, operation, args),
            ),
        },
      },
    });
    return reader;
  }

  async #read<Answer>(
    tenantId: string,
    onReplica: (position: WalPosition) => Promise<Answer>,
    onPrimary: () => Promise<Answer>,
  ): Promise<Answer> {
    const { positions } = this.#options;
    const floor = positions.floor();
    if (!this.#health.isUsable()) return this.#leave('away', onPrimary);
    if (!floor) return this.#leave('unknown', onPrimary);
    try {
      const own = await positions.ofTenant(tenantId);
      const answer = await this.#whenReplayed(own ? later(floor, own) : floor, onReplica);
      observations.tenantRead.tell({ by: 'replica' });
      return answer;
    } catch (error) {
      if (isPrimaryError(error)) return this.#leave('unknown', onPrimary);
      const state = sqlState(error);
      if (state === outOfTimeState) throw error;
      if (state === behindState) return this.#leave('behind', onPrimary);
      this.#health.failed(error);
      return this.#leave('failed', onPrimary);
    }
  }

  /** Repeats the read until the standby is there, for a short time: most writes are replayed within a few milliseconds. */
  async #whenReplayed<Answer>(position: WalPosition, read: (position: WalPosition) => Promise<Answer>) {
    const deadline = performance.now() + (this.#health.isLate() ? 0 : patienceMs);
    for (;;) {
      try {
        return await read(position);
      } catch (error) {
        if (sqlState(error) !== behindState) throw error;
        if (performance.now() + pauseMs > deadline) {
          this.#health.waitedInVain();
          throw error;
        }
        await delay(pauseMs);
      }
    }
  }

  #leave<Answer>(why: 'away' | 'behind' | 'failed' | 'unknown', onPrimary: () => Promise<Answer>): Promise<Answer> {
    observations.tenantRead.tell({ by: why });
    return onPrimary();
  }
}

/** Waits for the first part of a copy: until then it can still be begun elsewhere. */
const begin = async (chunks: AsyncGenerator<Buffer>, by: 'primary' | 'replica') => ({
  first: await chunks.next(),
  chunks,
  by,
});

type Operations = Record<string, Record<string, (args: unknown) => Promise<unknown>>>;

/** Calls an operation of a model, such as `findMany` of `Run`, by name. */
const callReader = (reader: TenantReader, model: string, operation: string, args: unknown): Promise<unknown> =>
  (reader as unknown as Operations)[model[0]?.toLowerCase() + model.slice(1)]?.[operation]?.(args) as Promise<unknown>;
