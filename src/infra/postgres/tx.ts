import type pg from 'pg';

/**
 * An open transaction: parameterised SQL on its connection, whether Prisma or pg began it. Everything that is written with a change (audit,
 * events, jobs, notices, locks) takes one, so that it commits with the change or not at all.
 *
 * `query` is pg's own, so within `withTenant` it also accepts a stream of pg-copy-streams. Ids (`bigint`) are read as numbers.
 */
export interface Tx extends Pick<pg.ClientBase, 'query'> {
  /** Tells the listeners of a channel once the transaction has committed; a rollback tells nobody. See Notices. */
  notify: (channel: string, entries: readonly unknown[]) => void;
  /** Call it when a leased row changes (read-leases.ts): the transaction then returns only once no process uses the old row. */
  expireLeases: () => void;
}

/**
 * The result of statements that were sent without waiting, so that the next ones leave in the same write. Wrapped in an object, because
 * returning the promise from an async function would wait for it.
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
 * Waits until all statements of one transaction that were sent without waiting have settled, then throws the first failure. Promise.all
 * would reject immediately, and the remaining ones would be sent on a connection that somebody else uses by then.
 */
export async function together<const Sent extends readonly Promise<unknown>[]>(
  sent: Sent,
): Promise<{ -readonly [Place in keyof Sent]: Awaited<Sent[Place]> }> {
  const settled = await Promise.allSettled(sent);
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
  return Promise.all(sent) as Promise<{ -readonly [Place in keyof Sent]: Awaited<Sent[Place]> }>;
}
