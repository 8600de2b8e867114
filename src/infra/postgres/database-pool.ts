import pg from 'pg';
import { DatabaseClient, type Guarded } from './database-client.ts';
import { isOutage, OutageError } from './outages.ts';

const maxWaiting = 2_000;
const waitMs = 10_000;
type Taken = Parameters<pg.Pool['connect']>[0];

/**
 * A pool of DatabaseClients. When a connection cannot be opened, everybody who waits for one is told at once: pg's own pool would
 * let them try in turn, as many at a time as it has places, and keep the last of them waiting for several time limits.
 */
export class DatabasePool extends pg.Pool {
  readonly #waiting = new Set<(error: unknown) => void>();

  constructor(config: pg.PoolConfig & Guarded) {
    super({ ...config, Client: DatabaseClient });
  }

  /** Fails everybody who waits for a connection. Without this they would wait for those that take the place of the ones in use. */
  refuseWaiting(error: unknown): void {
    for (const refuse of this.#waiting) refuse(error);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Taken): void;
  override connect(callback?: Taken): Promise<pg.PoolClient> | void {
    // Of the idle connections, those for which pg's queue has a caller are as good as taken.
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
      // The caller has given up, so a connection that arrives later is returned to the pool.
      connected.then((client) => client.release()).catch(() => undefined);
      throw error;
    } finally {
      clearTimeout(late);
      this.#waiting.delete(reject);
    }
  }
}
