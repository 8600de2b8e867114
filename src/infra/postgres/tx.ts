import type pg from 'pg';

/**
 * An open transaction: parameterised SQL on its connection, whether Prisma or pg began it. Everything that is written with a change (audit,
 * events, jobs, notices, locks) takes one, so that it commits with the change or not at all.
 *
 * `query` is pg's own, so in `withTenant` it also accepts a stream of pg-copy-streams. Ids (`bigint`) are read as numbers.
 */
export interface Tx extends Pick<pg.ClientBase, 'query'> {
  /** Tells the listeners of a channel once the transaction has committed; a rollback tells nobody. See Notices. */
  notify: (channel: string, entries: readonly unknown[]) => void;
  /** Call it when a leased row changes (read-leases.ts): the transaction then returns only once no process uses the old row. */
  expireLeases: () => void;
}

/**
 * The result of statements that were sent without waiting for their answers. A transaction whose work returns one sends COMMIT in the
 * same write. An object, since an async function would wait for a bare promise.
 */
export class Pipelined<T> {
  readonly result: Promise<T>;

  constructor(result: Promise<T>) {
    // Handled: an earlier failure is reported instead, and an unhandled rejection would end the process.
    result.catch(() => undefined);
    this.result = result;
  }
}

/**
 * Waits until all statements of one transaction that were sent without waiting have settled, then throws the first failure. Promise.all
 * would reject immediately, and the remaining ones would be sent on a connection that somebody else uses by then.
 */
export async function awaitAll<const Statements extends readonly Promise<unknown>[]>(
  sent: Statements,
): Promise<{ -readonly [Place in keyof Statements]: Awaited<Statements[Place]> }> {
  const settled = await Promise.allSettled(sent);
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
  return Promise.all(sent) as Promise<{ -readonly [Place in keyof Statements]: Awaited<Statements[Place]> }>;
}
