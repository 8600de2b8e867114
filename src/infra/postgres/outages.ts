import { sqlState } from './sql-errors.ts';

/** What Node says of a connection that was refused or broke; a missing file is no outage, a missing socket is. */
const networkCodes =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOENT connect)$/;
/** What pg says in words alone. */
const pgMessages =
  /Connection terminated|not queryable|timeout exceeded when trying to connect|Query read timeout|Client was closed|connection is closed/i;
/** Prisma: cannot reach, timed out, connection closed, no connection to be had, transaction not started in time. */
const prismaCodes = /^(P1001|P1002|P1008|P1017|P2024|P2028)$/;

/**
 * Whether the database could not be reached, or went away before it answered. Whether a commit under way was made is then
 * not known.
 */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (typeof code === 'string') {
    const fault = code === 'ENOENT' ? `${code} ${syscall}` : code;
    if (networkCodes.test(fault) || prismaCodes.test(fault)) return true;
  }
  // 08: connection exception; 57P: the server stops, has crashed, or starts; 25P03: it gave up waiting for us.
  const state = sqlState(error);
  if (state !== undefined) return /^(08|57P|25P0)/.test(state);
  return pgMessages.test(error.message) || isOutage(error.cause);
}

/** Whether the same may well work a moment later: an outage, a deadlock, a lock or a place not had in time. */
export const isPassing = (error: unknown): boolean =>
  isOutage(error) || /^(40|53|55P03|57014)/.test(sqlState(error) ?? '');
