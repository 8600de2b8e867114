import { sqlState } from './sql-errors.ts';

/** Node's codes for a refused or broken connection; ENOENT is an outage only for a missing socket, not for a file. */
const networkCodes =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOENT connect)$/;
/** Failures that pg reports only by message. */
const pgMessages =
  /Connection terminated|not queryable|timeout exceeded when trying to connect|Query read timeout|Client was closed|connection is closed/i;
/** Prisma: cannot reach, timed out, connection closed, no free connection, transaction not started in time. */
const prismaCodes = /^(P1001|P1002|P1008|P1017|P2024|P2028)$/;

/**
 * Whether the database could not be reached, or went away before it responded. It is then unknown whether a commit in
 * progress took effect.
 */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (typeof code === 'string') {
    const fault = code === 'ENOENT' ? `${code} ${syscall}` : code;
    if (networkCodes.test(fault) || prismaCodes.test(fault)) return true;
  }
  // 08: connection exception; 57P: the server stops, has crashed, or starts; 25P03: an idle transaction was ended.
  const state = sqlState(error);
  if (state !== undefined) return /^(08|57P|25P0)/.test(state);
  return pgMessages.test(error.message) || isOutage(error.cause);
}

/** Whether a retry may well succeed a moment later: after an outage, a deadlock, or a lock or slot not acquired in time. */
export const isPassing = (error: unknown): boolean =>
  isOutage(error) || /^(40|53|55P03|57014)/.test(sqlState(error) ?? '');
