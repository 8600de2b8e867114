import type { Socket } from 'node:net';
import { connect } from 'node:tls';
import { ImapFlow, type ImapTransport } from 'imapflow';
import type { Egress } from '#src/infra/egress/egress.ts';
import { formatHostPort } from '#src/infra/egress/target.ts';
import { tlsOptions } from '#src/infra/egress/with-connection.ts';
import { ImapError, toImapError } from './imap-error.ts';

export interface ImapLogin {
  host: string;
  port: number;
  username: string;
  /** A password, or an access token of OAuth. */
  secret: { password: string } | { accessToken: string };
  /** TLS after `STARTTLS`, from the first byte, or never: then everything, also the password, is sent unencrypted. */
  security: 'starttls' | 'implicit' | 'none';
  /** The authority of the server's certificate, in PEM; by default the public ones. */
  ca?: string | undefined;
}

export const imapPort = 143;
export const implicitImapPort = 993;
/** Milliseconds for the handshake and the greeting, each. */
const readyMs = 15_000;
/** Milliseconds for which a server may be silent. */
const idleMs = 30_000;
/** The most bytes of one line, and of one value. Mails are read in smaller parts. */
const maxValueBytes = 4 * 1024 * 1024;

export interface ImapConnection {
  client: ImapFlow;
  /** Converts an error of an operation. After a failure of the connection, operations only say that it has ended. */
  explain: (error: unknown, mailbox: string) => Error;
}

/** Connects and logs in. Throws ImapError and EgressError. */
export async function connectImap(
  egress: Pick<Egress, 'openSocket'>,
  login: ImapLogin,
  signal: AbortSignal,
): Promise<ImapConnection> {
  const { host, port, username, secret, security } = login;
  const where = formatHostPort(host, port);
  const usualPort = port === imapPort ? imapPort : implicitImapPort;
  const socket = await egress.openSocket({ host, port, usualPort });
  const client = new ImapFlow({
    host,
    port,
    secure: security === 'implicit',
    doSTARTTLS: security === 'starttls',
    transport: transportOver(socket, login),
    auth: { user: username, ...('password' in secret ? { pass: secret.password } : secret) },
    clientInfo: { name: 'Causeway', version: '', vendor: '', 'support-url': '' },
    logger: false,
    disableAutoIdle: true,
    // Compressed answers could be far larger than the limits below suggest.
    disableCompression: true,
    connectionTimeout: readyMs,
    greetingTimeout: readyMs,
    socketTimeout: idleMs,
    maxLineLength: maxValueBytes,
    maxLiteralSize: maxValueBytes,
    maxResponseSize: 2 * maxValueBytes,
    // Enough for a mail with thousands of parts; a token takes about a hundred bytes.
    maxResponseTokens: 200_000,
  });
  let failure: unknown;
  client.on('error', (error) => {
    failure ??= error;
  });
  const onAbort = (): void => client.close();
  signal.addEventListener('abort', onAbort, { once: true });
  client.on('close', () => {
    signal.removeEventListener('abort', onAbort);
    socket.destroy();
  });
  try {
    signal.throwIfAborted();
    await client.connect();
    return { client, explain: (error, mailbox) => toImapError(failure ?? error, where, mailbox) };
  } catch (error) {
    client.close();
    socket.destroy();
    throw signal.aborted
      ? new ImapError('timeout', `${where} took too long.`, error)
      : toImapError(failure ?? error, where);
  }
}

/** Uses the socket that egress has opened, whose address was checked. */
function transportOver(socket: Socket, { host, ca }: ImapLogin): ImapTransport {
  const tls = tlsOptions(host, ca);
  const secure = (onSecure: () => void) => connect({ ...tls, socket }, onSecure);
  return {
    connect({ secure: isSecure }, onConnect) {
      if (isSecure) return secure(onConnect);
      setImmediate(onConnect);
      return socket;
    },
    upgrade: (_socket, _options, onSecure) => secure(onSecure),
  };
}
