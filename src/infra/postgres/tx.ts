import type pg from 'pg';

/**
 * An open transaction: parameterised SQL on its connection, whether Prisma or pg began it. Everything that is written with a
 * change (audit, events, jobs, notices, locks) takes one, so that it commits with the change or not at all.
 *
 * `query` is pg's own, so within `withTenant` it also accepts a stream of pg-copy-streams. Ids (`bigint`) are read as numbers.
 */
export interface Tx extends Pick<pg.ClientBase, 'query'> {
  /** Tells the listeners of a channel once the transaction has committed; a rollback tells nobody. See Notices. */
  notify: (channel: string, entries: readonly unknown[]) => void;
  /** To be called by what changes a row that is leased (read-leases.ts): the transaction answers once no process uses the old row. */
  expireLeases: () => void;
}

/**
 * What comes of statements that were sent and not waited for, so that the next leave in one write with them. In an object, since an
 * async function would wait for the promise itself.
 */
export interface Sent<T> {
  sent: Promise<T>;
}

/** Marks a rejection as handled: an earlier failure is reported instead, and an unhandled one would end the process. */
export function asSent<T>(sent: Promise<T>): Sent<T> {
  sent.catch(() => undefined);
  return { sent };
}

/**
 * Waits for statements of one transaction that were sent without waiting for each other, until all have settled, and throws the
 * first failure. Promise.all would return at once, and the others would be sent on a connection that is somebody else's by then.
 */
export async function together<const Sent extends readonly Promise<unknown>[]>(
  sent: Sent,
): Promise<{ -readonly [Place in keyof Sent]: Awaited<Sent[Place]> }> {
  const settled = await Promise.allSettled(sent);
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
  return Promise.all(sent) as Promise<{ -readonly [Place in keyof Sent]: Awaited<Sent[Place]> }>;
}
