import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import type { Prisma, PrismaClient } from '#prisma/client.ts';
import { collectEffects, type Notices } from '#src/infra/postgres/notices.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { staleError } from './database-client.ts';
import { DatabasePool } from './database-pool.ts';

const opening = new AsyncLocalStorage<(client: pg.PoolClient) => void>();

/** A pool that lets `prismaTransaction` find the connection that Prisma took for the transaction it opens. */
export class PrismaPool extends DatabasePool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Parameters<pg.Pool['connect']>[0]): void;
  override connect(callback?: Parameters<pg.Pool['connect']>[0]): Promise<pg.PoolClient> | void {
    if (callback) return super.connect(callback);
    const tell = opening.getStore();
    const connected = super.connect();
    if (!tell) return connected;
    return connected.then((client) => {
      tell(client);
      return client;
    });
  }
}

/**
 * Runs `work` in a transaction that Prisma opens on a connection of a PrismaPool. `query` runs SQL on the same connection
 * and so in the same transaction; both can be used in turn. Once the transaction has ended, also by its time limit, `query`
 * refuses, because the connection may be in use elsewhere.
 */
export function prismaTransaction<T>(
  prisma: PrismaClient,
  notices: Notices,
  work: (tx: Prisma.TransactionClient & Tx) => Promise<T>,
): Promise<T> {
  let connection: pg.PoolClient | undefined;
  let isOpen = false;
  const query = (...given: [string]) => {
    if (!connection || !isOpen) throw new Error('The transaction has ended.');
    return connection.query(...given);
  };
  const tell = (client: pg.PoolClient) => {
    // The first connection is the transaction's own; `work` may take others for reads outside of it.
    if (connection) return;
    connection = client;
    isOpen = true;
    const release = client.release.bind(client);
    client.release = (broken) => {
      isOpen = false;
      release(broken);
    };
  };
  const effects = collectEffects(notices);
  const added = { query, notify: effects.notify, expireLeases: effects.expireLeases };
  const transacted = opening.run(tell, () =>
    effects.afterCommit(() =>
      prisma.$transaction((tx) =>
        work(
          new Proxy(tx, {
            get: (target, name, receiver) =>
              (name in added ? added[name as keyof typeof added] : Reflect.get(target, name, receiver)) as unknown,
          }) as Prisma.TransactionClient & Tx,
        ),
      ),
    ),
  );
  return transacted.catch((error: unknown) => {
    throw (connection && staleError(connection)) ?? error;
  });
}
