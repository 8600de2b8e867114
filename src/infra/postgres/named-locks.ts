import type { Database } from './database.ts';
import type { Tx } from './tx.ts';

/**
 * Waits for the named lock and holds it until the transaction ends; it works across processes. The name begins with its
 * purpose and, for a lock per tenant, ends with the tenant (`secrets/acme-shop`).
 */
export async function lockNamed(tx: Tx, name: string): Promise<void> {
  await tx.query({
    name: 'lock-named',
    text: `SELECT pg_advisory_xact_lock(hashtextextended('causeway.' || $1, 0))`,
    values: [name],
  });
}

/** The same without waiting: returns false when another transaction holds the lock. */
export async function tryLockNamed(tx: Tx, name: string): Promise<boolean> {
  const { rows } = await tx.query<{ mine: boolean }>({
    name: 'try-lock-named',
    text: `SELECT pg_try_advisory_xact_lock(hashtextextended('causeway.' || $1, 0)) AS mine`,
    values: [name],
  });
  return rows[0]?.mine === true;
}

/**
 * Does `work` unless another process holds the named lock; then it returns undefined. The lock belongs to its own session, so
 * the work may last for minutes and use many transactions, and the lock is released if the process dies.
 */
export async function inOneProcess<T>(
  { systemSessions }: Pick<Database, 'systemSessions'>,
  name: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const client = await systemSessions.connect();
  let broken: Error | undefined;
  try {
    const key = [`causeway.${name}`];
    const { rows } = await client.query('SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS mine', key);
    if (rows[0].mine !== true) return undefined;
    try {
      return await work();
    } finally {
      // A connection that cannot release the lock is closed, which releases it.
      await client.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', key).catch((error: Error) => {
        broken = error;
      });
    }
  } finally {
    client.release(broken);
  }
}
