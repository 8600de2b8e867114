import { ServerError } from '#src/infra/egress/server-error.ts';

export type SftpErrorCode =
  | 'host_key'
  | 'refused_login'
  | 'timeout'
  | 'disconnected'
  | 'not_found'
  | 'permission'
  | 'too_many_entries'
  | 'protocol';

/** A failure of an SFTP server. */
export class SftpError extends ServerError<SftpErrorCode> {}

/** Statuses of the protocol, version 3. */
const noSuchFile = 2;
const permissionDenied = 3;

/** The error of an operation on a path, from the server's status or from the end of the connection. */
export function operationError(cause: unknown, path: string, where: string): SftpError {
  if (cause instanceof SftpError) return cause;
  const status = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (status === noSuchFile) return new SftpError('not_found', `${where} has no ${path}.`, cause);
  if (status === permissionDenied)
    return new SftpError('permission', `${where} does not permit the user to do this with ${path}.`, cause);
  if (typeof status === 'number') return new SftpError('protocol', `${where} refused to do this with ${path}.`, cause);
  return new SftpError('disconnected', `${where} closed the connection.`, cause);
}

/** The error of a connection before it is open, by the levels of ssh2. */
export function connectionError(cause: unknown, where: string): SftpError {
  if (cause instanceof SftpError) return cause;
  const level = cause instanceof Error && 'level' in cause ? cause.level : undefined;
  if (level === 'client-authentication')
    return new SftpError('refused_login', `${where} refused the user or its password or key.`, cause);
  if (level === 'client-timeout') return new SftpError('timeout', `${where} did not answer in time.`, cause);
  if (level === 'handshake' || level === 'protocol')
    return new SftpError('protocol', `${where} does not speak SSH in a way that is understood here.`, cause);
  return new SftpError('disconnected', `${where} closed the connection.`, cause);
}
