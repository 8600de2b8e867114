import { posix } from 'node:path';
import { Transform } from 'node:stream';
import { needField } from '#src/automation/node-api/credential-parts.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { restorePem } from '#src/automation/node-api/pem.rules.ts';
import type { OpenCredential } from '#src/automation/node-api/ports.ts';
import type { SocketRequest } from '#src/infra/egress/open-socket.ts';
import { showHostKey, sftpPort, type SftpLogin } from '#src/infra/sftp/connect-sftp.ts';
import { SftpError, type SftpErrorCode } from '#src/infra/sftp/sftp-error.ts';
import { type RemoteFile as SftpFile, type SftpSession, withSftp } from '#src/infra/sftp/sftp-session.ts';
import { baseName } from './config.ts';
import { toConnectionError } from './node-errors.ts';
import type { Connecting, RemoteFile, RemoteFiles } from './remote-files.ts';

/** Connects to an SFTP server, runs `work` and disconnects. */
export async function withSftpFiles<T>(
  { credential, sockets, signal }: Connecting,
  work: (files: RemoteFiles) => Promise<T>,
): Promise<T> {
  const egress = { openSocket: (to: SocketRequest) => sockets.open(to) };
  try {
    const { hostKey, ...login } = await readLogin(credential);
    if (hostKey === undefined) throw unknownKey(login.host, await showHostKey(egress, login, signal));
    return await withSftp(egress, { ...login, hostKey }, { signal, work: (session) => work(filesOver(session)) });
  } catch (error) {
    throw signal.aborted ? signal.reason : toNodeError(error);
  }
}

async function readLogin(credential: OpenCredential): Promise<Omit<SftpLogin, 'hostKey'> & { hostKey?: string }> {
  const [port, password, privateKey, passphrase, hostKey] = await Promise.all(
    ['port', 'password', 'private_key', 'passphrase', 'host_key'].map((name) => credential.field(name)),
  );
  return {
    host: await needField(credential, 'host'),
    port: Number(port ?? sftpPort),
    username: await needField(credential, 'username'),
    password,
    privateKey: privateKey && restorePem(privateKey),
    passphrase,
    acceptance: 'enter it in the credential',
    ...(hostKey !== undefined && { hostKey }),
  };
}

const unknownKey = (host: string, shown: string): NodeError =>
  new NodeError(
    'SFTP_HOST_KEY',
    `${host} shows the host key ${shown}. Compare it with what the server's operator says, and enter it in the credential.`,
  );

const codes: Readonly<Record<SftpErrorCode, { code: string; retryable?: true }>> = {
  host_key: { code: 'SFTP_HOST_KEY' },
  refused_login: { code: 'SFTP_AUTH' },
  timeout: { code: 'SFTP_TIMEOUT', retryable: true },
  disconnected: { code: 'SFTP_DISCONNECTED', retryable: true },
  not_found: { code: 'SFTP_NOT_FOUND' },
  permission: { code: 'SFTP_PERMISSION' },
  too_many_entries: { code: 'SFTP_TOO_MANY_FILES' },
  protocol: { code: 'SFTP_REFUSED' },
};

function toNodeError(error: unknown): unknown {
  if (!(error instanceof SftpError)) return toConnectionError('SFTP', error);
  const { code, retryable = false } = codes[error.code];
  return new NodeError(code, error.message, { retryable, cause: error });
}

const notFound = (path: string): NodeError => new NodeError('SFTP_NOT_FOUND', `The server has no file ${path}.`);

const toRemoteFile = (path: string, { name, size, modifiedAt }: SftpFile): RemoteFile => ({
  name,
  path,
  size,
  modified_at: new Date(modifiedAt * 1_000).toISOString(),
});

const filesOver = (session: SftpSession): RemoteFiles => ({
  async list({ directory, prefix, after, limit }) {
    const all = await session.list(directory === '' ? '.' : directory);
    const found = all
      .filter(({ name }) => name.startsWith(prefix) && name > after)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return {
      files: found.slice(0, limit).map((file) => toRemoteFile(posix.join(directory, file.name), file)),
      complete: found.length <= limit,
    };
  },
  async open(path) {
    const found = await session.find(path);
    if (!found) throw notFound(path);
    const whole = assertWhole(path, found.size);
    const source = session.read(path, found.size);
    source.on('error', (error) => whole.destroy(error));
    whole.once('close', () => source.destroy());
    return { ...toRemoteFile(path, found), content: source.pipe(whole) };
  },
  async put(path, { stream }) {
    const draft = posix.join(posix.dirname(path), `.${baseName(path)}.part`);
    try {
      await session.write(draft, await stream());
      await session.rename(draft, path);
    } catch (error) {
      await session.remove(draft).catch(() => undefined);
      throw error;
    }
  },
  async move(from, to) {
    if (!(await session.find(from))) throw notFound(from);
    await session.rename(from, to);
  },
  async remove(path) {
    await session.remove(path).catch((error: unknown) => {
      if (!(error instanceof SftpError && error.code === 'not_found')) throw error;
    });
  },
});

/** Passes bytes on, and fails at the end unless there were `size` bytes: the file was then changed while it was read. */
function assertWhole(path: string, size: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(null, chunk);
    },
    flush(done) {
      const error = new NodeError('SFTP_CHANGED', `${path} was changed while it was read.`, { retryable: true });
      done(bytes === size ? null : error);
    },
  });
}
