import type { EventEmitter } from 'node:events';
import pg from 'pg';
import { isOutage, isStaleStatement, OutageError } from '#src/infra/postgres/outages.ts';
import { DatabaseClient, isSubmitted } from './database-client.ts';
import { type Entered, PoolerClient } from './pooler-client.ts';

const maxWaiting = 2_000;
const waitMs = 10_000;
type Taken = Parameters<pg.Pool['connect']>[0];

export type PooledConfig = pg.PoolConfig & Entered;

/**
 * A pool of DatabaseClients. When a connection cannot be opened, every caller that waits for one fails immediately: pg's own pool would let
 * them try one after another, as many at a time as its size, and the last of them would wait for several time limits.
 *
 * When a migration has outdated the prepared statements of one connection, it has outdated those of all equally old ones: the pool replaces
 * them and repeats a statement that was sent outside of a transaction.
 */
export class DatabasePool extends pg.Pool {
  readonly #waiting = new Set<(error: unknown) => void>();

  /** Called when statements are older than a migration; by default, replaces the connections of this pool. */
  onStale: (error: Error) => void = () => this.renew();
  /** Called when the server lacks disk space. */
  onFull: () => void = () => undefined;
  /** Connections of an earlier generation are closed instead of being reused. */
  #generation = 0;
  readonly #generations = new WeakMap<pg.PoolClient, number>();

  constructor(config: PooledConfig) {
    super({ ...config, Client: config.entry ? PoolerClient : DatabaseClient });
    this.on('connect', (client) => {
      this.#generations.set(client, this.#generation);
      (client as EventEmitter).on('stale', (error: Error) => {
        if (this.#isCurrent(client)) this.onStale(error);
      });
      (client as EventEmitter).on('full', () => this.onFull());
    });
    // The pool closes a connection that has been told to end.
    this.on('release', (_error, client) => {
      if (client && !this.#isCurrent(client)) void client.end();
    });
    const query = (...given: unknown[]): unknown => super.query(...(given as [string]));
    this.query = ((...given: unknown[]) => {
      if (typeof given.at(-1) === 'function' || isSubmitted(given[0])) return query(...given);
      return (query(...given) as Promise<unknown>).catch((error: unknown) => {
        if (!isStaleStatement(error)) throw error;
        return query(...given);
      });
    }) as pg.Pool['query'];
  }

  #isCurrent(client: pg.PoolClient): boolean {
    return (this.#generations.get(client) ?? 0) === this.#generation;
  }

  /** Closes all connections: idle ones now, the others when they are released. */
  renew(): void {
    this.#generation += 1;
    while (this.idleCount > this.waitingCount) {
      super.connect().then(
        (client) => client.release(),
        () => undefined,
      );
    }
  }

  /** Fails all callers that wait for a connection. Otherwise they would wait for connections that replace the ones in use. */
  refuseWaiting(error: unknown): void {
    for (const refuse of this.#waiting) refuse(error);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Taken): void;
  override connect(callback?: Taken): Promise<pg.PoolClient> | void {
    // Idle connections that callers in pg's queue are about to take count as in use.
    const taken = this.idleCount > this.waitingCount ? super.connect() : this.#wait();
    if (!callback) return taken;
    taken.then(
      (client) => process.nextTick(callback, undefined, client, client.release.bind(client)),
      (error: Error) => process.nextTick(callback, error, undefined, () => undefined),
    );
  }

  async #wait(): Promise<pg.PoolClient> {
    if (this.waitingCount >= maxWaiting) throw new OutageError('Too many callers wait for a database connection.');
    const { promise: refused, reject } = Promise.withResolvers<never>();
    const late = setTimeout(() => reject(new OutageError('No database connection was free in time.')), waitMs);
    this.#waiting.add(reject);
    const connected = super.connect();
    connected.catch((error: unknown) => {
      if (isOutage(error)) this.refuseWaiting(error);
    });
    try {
      return await Promise.race([connected, refused]);
    } catch (error) {
      // The caller has given up, so a connection that opens later is returned to the pool.
      connected.then((client) => client.release()).catch(() => undefined);
      throw error;
    } finally {
      clearTimeout(late);
      this.#waiting.delete(reject);
    }
  }
}
