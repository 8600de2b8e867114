import { sqlState } from './sql-errors.ts';

/** A connection could not be opened, or ended before the response, and neither Postgres nor the socket gave a code. */
export class OutageError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'OutageError';
  }
}

/** The longest pause between two retries after an outage, however long it lasts. */
export const outageRetryMs = 1_000;

/**
 * The connection must not be used again: it prepared its statement before a migration changed the columns of its result, or a pooler led it
 * to another server. The statement had no effect, so it may be repeated on another connection; callers that do not repeat it treat it as an
 * outage.
 */
export class StaleStatementError extends OutageError {
  constructor(cause: unknown, message = 'The database was migrated since this connection prepared its statements.') {
    super(message, cause);
    this.name = 'StaleStatementError';
  }
}

export const isStaleStatement = (error: unknown): boolean =>
  error instanceof StaleStatementError || (error instanceof Error && isStaleStatement(error.cause));

/** The server is a standby, or was made read-only: it is reachable, but another one takes the writes. */
export const readOnlyState = '25006';

/** Node's codes for a refused or broken connection; ENOENT is an outage only for a missing socket, not for a file. */
const networkCodes =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOENT connect)$/;
/** Prisma: cannot reach, timed out, connection closed, no free connection, transaction not started in time. */
const prismaCodes = /^(P1001|P1002|P1008|P1017|P2024|P2028)$/;
/** The names by which Prisma's adapter reports a broken connection; a raw query has no other code for it. */
const adapterKinds = /^(ConnectionClosed|DatabaseNotReachable|SocketTimeout)$/;
/**
 * 08: connection exception; 53: the server lacks disk, memory or connections; 57P: it stops, has crashed, or starts; 25P0: an idle
 * transaction was ended.
 */
const outageStates = new RegExp(`^(08|53|57P|25P0|${readOnlyState})`);

interface PrismaFault {
  clientVersion?: string;
  meta?: { driverAdapterError?: { cause?: { kind?: string } } };
}

/**
 * True if the database could not be reached, went away before it responded, or takes no writes, at the start as in operation. It is then
 * unknown whether a commit in progress took effect.
 */
export function isOutage(error: unknown): boolean {
  if (error instanceof OutageError) return true;
  if (!(error instanceof Error)) return false;
  const { code, syscall, clientVersion, meta } = error as NodeJS.ErrnoException & PrismaFault;
  if (adapterKinds.test(meta?.driverAdapterError?.cause?.kind ?? '')) return true;
  if (typeof code === 'string') {
    // Prisma opens no file, and passes on only the code of its socket.
    const fault = code === 'ENOENT' ? `${code} ${clientVersion === undefined ? syscall : 'connect'}` : code;
    if (networkCodes.test(fault) || prismaCodes.test(fault)) return true;
  }
  const state = sqlState(error);
  return state === undefined ? isOutage(error.cause) : outageStates.test(state);
}

/** True if a retry may well succeed a moment later: after an outage, a deadlock, or a lock or slot not acquired in time. */
export const isPassing = (error: unknown): boolean =>
  isOutage(error) || /^(40|55P03|57014)/.test(sqlState(error) ?? '');
