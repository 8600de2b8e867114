import type { Socket } from 'node:net';
import type { Client, SFTPWrapper } from 'ssh2';
import type { Egress } from '#src/infra/egress/egress.ts';
import { formatHostPort } from '#src/infra/egress/target.ts';
import { algorithmsBut, formatFingerprint, readKeyKind } from './host-keys.ts';
import { connectionError, SftpError } from './sftp-error.ts';

export interface SftpServer {
  host: string;
  port: number;
}

export interface SftpLogin extends SftpServer {
  username: string;
  password?: string | undefined;
  privateKey?: string | undefined;
  passphrase?: string | undefined;
  /** The server's key as it was pinned, `SHA256:...`. */
  hostKey: string;
  /** Tells a user how to accept another host key, as the end of an error message. By default with acceptSftpHostKey. */
  acceptance?: string;
}

/** A connection whose server has shown the pinned key and accepted the login. */
export interface SftpConnection {
  client: Client;
  sftp: SFTPWrapper;
  /** `host:port`, for messages. */
  where: string;
}

/** Milliseconds for the handshake and the login. */
const readyMs = 20_000;
const keepaliveMs = 10_000;
/** Keepalives without an answer before the connection counts as lost. */
const unansweredKeepalives = 3;
export const sftpPort = 22;

/**
 * Connects and logs in. A server may have keys of several kinds and shows the one that it prefers, so a server that shows a key other than
 * the pinned one is asked for its others. Throws SftpError, `host_key` if none of them is the pinned one, and EgressError.
 */
export async function connectSftp(
  egress: Pick<Egress, 'openSocket'>,
  login: SftpLogin,
  signal: AbortSignal,
): Promise<SftpConnection> {
  const seen: Buffer[] = [];
  for (;;) {
    const algorithms = algorithmsBut(seen.map(readKeyKind));
    if (algorithms.length === 0) throw changedKey(login, seen);
    try {
      return await openAt(egress, login, { algorithms, signal, onOtherKey: (key) => seen.push(key) });
    } catch (error) {
      const code = error instanceof SftpError ? error.code : undefined;
      // The server has no key of the kinds that are left.
      if (code === 'protocol' && seen.length > 0) throw changedKey(login, seen);
      if (code !== 'host_key') throw error;
    }
  }
}

/** The key that a server shows now, read without logging in. Throws SftpError and EgressError. */
export async function showHostKey(
  egress: Pick<Egress, 'openSocket'>,
  server: SftpServer,
  signal: AbortSignal,
): Promise<string> {
  const shown: Buffer[] = [];
  const nobody = { ...server, username: '', hostKey: '' };
  const onOtherKey = (key: Buffer): unknown => shown.push(key);
  await openAt(egress, nobody, { algorithms: algorithmsBut([]), signal, onOtherKey }).catch((error: unknown) => {
    if (shown.length === 0) throw error;
  });
  return formatFingerprint(shown[0] as Buffer);
}

const changedKey = (server: SftpLogin, [shown]: readonly Buffer[]): SftpError =>
  new SftpError(
    'host_key',
    `${formatHostPort(server.host, server.port)} shows the host key ${formatFingerprint(shown as Buffer)}, which is not the pinned one. Ask the server's operator whether it was changed, and only then ${server.acceptance ?? 'accept it with acceptSftpHostKey'}.`,
  );

interface Opening {
  algorithms: string[];
  signal: AbortSignal;
  onOtherKey: (key: Buffer) => unknown;
}

async function openAt(egress: Pick<Egress, 'openSocket'>, login: SftpLogin, opening: Opening): Promise<SftpConnection> {
  const { host, port } = login;
  // Imported on demand, because most workers never use it.
  const { Client } = await import('ssh2');
  const socket = await egress.openSocket({ host, port, usualPort: sftpPort });
  try {
    return await open(new Client(), socket, login, opening);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function open(
  client: Client,
  socket: Socket,
  login: SftpLogin,
  { algorithms, signal, onOtherKey }: Opening,
): Promise<SftpConnection> {
  const where = formatHostPort(login.host, login.port);
  return new Promise<SftpConnection>((resolve, reject) => {
    const fail = (error: unknown): void => {
      reject(connectionError(error, where));
      client.destroy();
    };
    const onAbort = (): void => fail(new SftpError('timeout', `${where} took too long.`, signal.reason));
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    // The listener stays: an error after the login would otherwise end the process.
    client.on('error', fail);
    client.on('close', () => {
      signal.removeEventListener('abort', onAbort);
      fail(new SftpError('disconnected', `${where} closed the connection.`));
    });
    client.on('ready', () => {
      client.sftp((error, sftp) => {
        if (error) return fail(new SftpError('protocol', `${where} offers no SFTP to the user.`, error));
        sftp.on('error', () => undefined);
        return resolve({ client, sftp, where });
      });
    });
    try {
      client.connect({
        sock: socket,
        username: login.username,
        ...(login.password !== undefined && { password: login.password }),
        ...(login.privateKey !== undefined && { privateKey: login.privateKey }),
        ...(login.passphrase !== undefined && { passphrase: login.passphrase }),
        readyTimeout: readyMs,
        keepaliveInterval: keepaliveMs,
        keepaliveCountMax: unansweredKeepalives,
        algorithms: { serverHostKey: algorithms as never },
        hostVerifier: (key: Buffer): boolean => {
          if (formatFingerprint(key) === login.hostKey) return true;
          onOtherKey(key);
          fail(new SftpError('host_key', `${where} shows another host key than the pinned one.`));
          return false;
        },
      });
    } catch (error) {
      // ssh2 reads the private key synchronously in `connect`.
      fail(new SftpError('refused_login', 'The private key cannot be read, or its passphrase is wrong.', error));
    }
  });
}
