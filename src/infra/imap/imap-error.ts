import { EgressError, toEgressError } from '#src/infra/egress/errors.ts';
import { quoteServer, ServerError } from '#src/infra/egress/server-error.ts';

export type ImapErrorCode =
  | 'refused_login'
  | 'no_tls'
  | 'timeout'
  | 'disconnected'
  | 'not_found'
  | 'permission'
  | 'busy'
  | 'protocol';

/** A failure of an IMAP server. */
export class ImapError extends ServerError<ImapErrorCode> {}

const busyCodes = new Set(['UNAVAILABLE', 'INUSE', 'LIMIT', 'CONTACTADMIN', 'SERVERBUG']);

/** Converts an error of imapflow. An EgressError says that the connection was refused or failed, or that TLS failed. */
export function toImapError(cause: unknown, where: string, mailbox = ''): ImapError | EgressError {
  if (cause instanceof ImapError || cause instanceof EgressError) return cause;
  const { code, serverResponseCode, responseText, responseStatus, authenticationFailed, tlsFailed, mailboxMissing } = (
    cause instanceof Error ? cause : {}
  ) as Readonly<Record<string, unknown>>;
  const failure = toEgressError(cause, where);
  if (failure.code === 'tls') return failure;
  const said = quoteServer(responseText);
  if (busyCodes.has(String(serverResponseCode)) || code === 'ETHROTTLE')
    return new ImapError('busy', `${where} cannot do this now. It says: ${said}`, cause);
  // The server's answer to a login may repeat the user or the password.
  if (authenticationFailed === true)
    return new ImapError('refused_login', `${where} refused the user or the password.`, cause);
  if (tlsFailed === true) return new ImapError('no_tls', `${where} offers no TLS on this port.`, cause);
  if (mailboxMissing === true || serverResponseCode === 'TRYCREATE')
    return new ImapError('not_found', `${where} has no mailbox ${mailbox}.`, cause);
  if (serverResponseCode === 'NOPERM')
    return new ImapError('permission', `${where} does not permit the user to do this in ${mailbox}.`, cause);
  if (responseStatus === 'NO' || responseStatus === 'BAD')
    return new ImapError('protocol', `${where} refused to do this in ${mailbox}. It says: ${said}`, cause);
  const text = String(code);
  if (/TIMEOUT$/i.test(text)) return new ImapError('timeout', `${where} did not answer in time.`, cause);
  if (/Too(?:Large|Many)|^Parser|^Invalid|^Missing|^Unexpected|^MAX_/.test(text))
    return new ImapError('protocol', `${where} does not speak IMAP in a way that is understood here.`, cause);
  return new ImapError('disconnected', `${where} closed the connection.`, cause);
}
