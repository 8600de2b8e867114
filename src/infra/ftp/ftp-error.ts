import { FTPError } from 'basic-ftp';
import { EgressError, toEgressError } from '#src/infra/egress/errors.ts';
import { quoteServer, ServerError } from '#src/infra/egress/server-error.ts';

export type FtpErrorCode =
  | 'refused_login'
  | 'no_tls'
  | 'timeout'
  | 'disconnected'
  | 'not_found'
  | 'permission'
  | 'too_many_entries'
  | 'busy'
  | 'protocol';

/** A failure of an FTP server. */
export class FtpError extends ServerError<FtpErrorCode> {}

/** Converts an error of an operation. An EgressError says that a connection was refused or failed, or that TLS failed. */
export function toFtpError(cause: unknown, where: string, path = ''): FtpError | EgressError {
  if (cause instanceof FtpError || cause instanceof EgressError) return cause;
  if (cause instanceof FTPError) return refusal(cause, where, path);
  const failure = toEgressError(cause, where);
  if (failure.code === 'tls') return failure;
  // basic-ftp tells these failures apart by their texts alone.
  const text = cause instanceof Error ? cause.message : '';
  if (text.includes('Timeout (')) return new FtpError('timeout', `${where} did not answer in time.`, cause);
  if (text.includes('Maximum bytes exceeded')) return tooMany(path, cause);
  if (/can(?:'t|not) parse|control characters|maximum allowed size|invalid time/i.test(text))
    return new FtpError('protocol', `${where} does not speak FTP in a way that is understood here.`, cause);
  return new FtpError('disconnected', `${where} closed the connection.`, cause);
}

export const tooMany = (directory: string, cause?: unknown): FtpError =>
  new FtpError(
    'too_many_entries',
    `${directory === '' ? 'The directory' : directory} has too many entries. Move what is done out of it, or name a directory of its own.`,
    cause,
  );

/** A reply has a class of failure in its code. Code 550 is for missing files and missing rights, which only the text tells apart. */
function refusal(cause: FTPError, where: string, path: string): FtpError {
  const { code, message } = cause;
  if (code === 530) return new FtpError('refused_login', `${where} refused the user or the password.`, cause);
  const isMissing = /no such|not found|(?:does not|doesn't|not) exist/i.test(message);
  if (code < 500 && !isMissing)
    return new FtpError('busy', `${where} cannot do this with ${path} now: ${quoteServer(message)}`, cause);
  if (code === 553 || (code === 550 && /permi|denied|access|allow/i.test(message)))
    return new FtpError('permission', `${where} does not permit the user to do this with ${path}.`, cause);
  if (code === 550 || isMissing) return new FtpError('not_found', `${where} has no ${path}.`, cause);
  return new FtpError('protocol', `${where} refused to do this with ${path}: ${quoteServer(message)}`, cause);
}
