import { toConnectionError } from '#src/automation/core-nodes/remote-files/node-errors.ts';
import { needField } from '#src/automation/node-api/credential-parts.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { restorePem } from '#src/automation/node-api/pem.rules.ts';
import type { NodePorts, OpenCredential } from '#src/automation/node-api/ports.ts';
import type { SocketRequest } from '#src/infra/egress/open-socket.ts';
import { type ImapLogin, imapPort, implicitImapPort } from '#src/infra/imap/connect-imap.ts';
import { ImapError, type ImapErrorCode } from '#src/infra/imap/imap-error.ts';
import { type Mailbox, withMailbox } from '#src/infra/imap/mailbox.ts';
import type { MailReference } from './mailbox-config.ts';

interface Opening {
  ports: Pick<NodePorts, 'credentials' | 'sockets'>;
  signal: AbortSignal;
}

interface Wanted {
  credential: string | number;
  mailbox: string;
  readOnly: boolean;
}

/** Opens a mailbox with a credential, runs `work` and disconnects. */
export async function openMailbox<T>(
  { ports, signal }: Opening,
  { credential: id, mailbox, readOnly }: Wanted,
  work: (mailbox: Mailbox) => Promise<T>,
): Promise<T> {
  const egress = { openSocket: (to: SocketRequest) => ports.sockets.open(to) };
  try {
    const login = await readImapLogin(await ports.credentials.open(String(id)));
    return await withMailbox(egress, login, { mailbox, readOnly, signal, work });
  } catch (error) {
    throw signal.aborted ? signal.reason : toNodeError(error);
  }
}

/** The same for one mail. Fails if the UID names another mail by now. */
export const openMail = <T>(
  opening: Opening,
  { mail: { mailbox, uid_validity: uidValidity }, ...wanted }: Omit<Wanted, 'mailbox'> & { mail: MailReference },
  work: (mailbox: Mailbox) => Promise<T>,
): Promise<T> =>
  openMailbox(opening, { ...wanted, mailbox }, async (opened) => {
    if (opened.uidValidity !== uidValidity) throw noMail(mailbox);
    return work(opened);
  });

export const noMail = (mailbox: string): NodeError =>
  new NodeError('IMAP_NOT_FOUND', `The mail is not in ${mailbox} any more. It was deleted or moved.`);

/** Reads the login of a credential. Anything but a known word is TLS from the first byte, so that no typing error sends a password unencrypted. */
async function readImapLogin(credential: OpenCredential): Promise<ImapLogin> {
  const [port, given, ca] = await Promise.all(['port', 'tls', 'ca'].map((name) => credential.field(name)));
  const security = given === 'starttls' || given === 'none' ? given : 'implicit';
  return {
    host: await needField(credential, 'host'),
    port: Number(port ?? (security === 'implicit' ? implicitImapPort : imapPort)),
    username: await needField(credential, 'username'),
    secret:
      credential.type === 'core:imap-oauth2'
        ? { accessToken: await needField(credential, 'access_token') }
        : { password: await needField(credential, 'password') },
    security,
    ...(ca !== undefined && { ca: restorePem(ca) }),
  };
}

const codes: Readonly<Record<ImapErrorCode, { code: string; retryable?: true }>> = {
  refused_login: { code: 'IMAP_AUTH' },
  no_tls: { code: 'IMAP_TLS' },
  timeout: { code: 'IMAP_TIMEOUT', retryable: true },
  disconnected: { code: 'IMAP_DISCONNECTED', retryable: true },
  not_found: { code: 'IMAP_NOT_FOUND' },
  permission: { code: 'IMAP_PERMISSION' },
  busy: { code: 'IMAP_UNAVAILABLE', retryable: true },
  protocol: { code: 'IMAP_REFUSED' },
};

function toNodeError(error: unknown): unknown {
  if (!(error instanceof ImapError)) return toConnectionError('IMAP', error);
  const { code, retryable = false } = codes[error.code];
  return new NodeError(code, error.message, { retryable, cause: error });
}
