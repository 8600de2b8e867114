import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, type ConnectionOptions } from 'node:tls';
import { Client, FTPError } from 'basic-ftp';
import type { Egress } from '#src/infra/egress/egress.ts';
import { formatHostPort } from '#src/infra/egress/target.ts';
import { tlsOptions } from '#src/infra/egress/with-connection.ts';
import { dataConnections } from './data-connections.ts';
import { FtpError, toFtpError } from './ftp-error.ts';

export interface FtpLogin {
  host: string;
  port: number;
  username: string;
  password: string;
  /** TLS after `AUTH TLS`, from the first byte, or never: then everything, also the password, is sent unencrypted. */
  security: 'explicit' | 'implicit' | 'none';
  /** The authority of the server's certificate, in PEM; by default the public ones. */
  ca?: string | undefined;
}

/** Milliseconds for the greeting, the handshake and the login. */
const readyMs = 20_000;
const maxListingBytes = 8 * 1024 * 1024;
export const ftpPort = 21;
export const implicitFtpsPort = 990;

/** Connects and logs in. Throws FtpError and EgressError. */
export async function connectFtp(
  egress: Pick<Egress, 'openSocket'>,
  login: FtpLogin,
  { signal, idleMs }: { signal: AbortSignal; idleMs: number },
): Promise<Client> {
  const { host, port } = login;
  const where = formatHostPort(login.host, login.port);
  if (/\p{Cc}/u.test(login.username + login.password))
    throw new FtpError('refused_login', 'The user or the password has a line break or another control character.');
  const usualPort = port === implicitFtpsPort ? implicitFtpsPort : ftpPort;
  const socket = await egress.openSocket({ host, port, usualPort });
  const client = new Client(idleMs, { allowSeparateTransferHost: false, maxListingBytes });
  client.prepareTransfer = dataConnections(egress, host);
  const close = client.ftp.closeWithError.bind(client.ftp);
  client.ftp.closeWithError = (error) => {
    if (!isLostTransfer(error)) close(error);
  };
  const ready = AbortSignal.any([signal, AbortSignal.timeout(readyMs)]);
  try {
    await Promise.race([logIn(client, socket, login), rejectAtAbort(ready)]);
    return client;
  } catch (error) {
    client.close();
    socket.destroy();
    throw ready.aborted ? new FtpError('timeout', `${where} did not answer in time.`, error) : toFtpError(error, where);
  }
}

/**
 * True for a data connection that the server broke. A server that refuses a transfer often does so before its answer arrives, which says
 * more. Without an answer, the operation ends by the time for which a server may be silent.
 */
function isLostTransfer(error: Error): boolean {
  const code = 'code' in error ? error.code : undefined;
  if (!error.message.endsWith('(data socket)')) return false;
  return (
    code === 'ECONNRESET' || code === 'EPIPE' || error.message.startsWith('Socket closed due to transmission error')
  );
}

async function logIn(client: Client, socket: Socket, login: FtpLogin): Promise<void> {
  const { host, username, password, security, ca } = login;
  const tls = tlsOptions(host, ca);
  if (security === 'implicit') {
    client.ftp.socket = await secure(socket, tls);
    client.ftp.tlsOptions = tls;
  } else {
    client.ftp.socket = socket;
  }
  await readGreeting(client);
  if (security === 'explicit') await client.useTLS(tls).catch(failWithoutTls(login));
  await client.login(username, password).catch((error: unknown) => {
    // What the server says about a login may repeat it.
    if (error instanceof FTPError && (error.code >= 500 || error.code < 400))
      throw new FtpError(
        'refused_login',
        `${formatHostPort(login.host, login.port)} refused the user or the password.`,
      );
    throw error;
  });
  await client.useDefaultSettings();
}

const readGreeting = (client: Client): Promise<void> =>
  client.ftp.handle(undefined, (answer, task) => {
    if (answer instanceof Error) task.reject(answer);
    else if (answer.code >= 200 && answer.code < 300) task.resolve(undefined);
    else task.reject(new FTPError(answer));
  });

const failWithoutTls =
  (login: FtpLogin) =>
  (error: unknown): never => {
    if (!(error instanceof FTPError)) throw error;
    throw new FtpError('no_tls', `${formatHostPort(login.host, login.port)} offers no TLS on this port.`, error);
  };

async function secure(socket: Socket, tls: ConnectionOptions): Promise<Socket> {
  const secured = connect({ ...tls, socket });
  // An error after an abort has no other listener, and would end the process.
  secured.on('error', () => undefined);
  await once(secured, 'secureConnect');
  return secured;
}

const rejectAtAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
