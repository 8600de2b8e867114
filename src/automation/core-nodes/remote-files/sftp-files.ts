import { needField } from '#src/automation/node-api/credential-parts.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { restorePem } from '#src/automation/node-api/pem.rules.ts';
import type { OpenCredential } from '#src/automation/node-api/ports.ts';
import type { SocketRequest } from '#src/infra/egress/open-socket.ts';
import { showHostKey, sftpPort, type SftpLogin } from '#src/infra/sftp/connect-sftp.ts';
import { SftpError, type SftpErrorCode } from '#src/infra/sftp/sftp-error.ts';
import { withSftp } from '#src/infra/sftp/sftp-session.ts';
import { toConnectionError } from './node-errors.ts';
import type { Connecting, RemoteFiles } from './remote-files.ts';
import { filesOver } from './session-files.ts';

/** Connects to an SFTP server, runs `work` and disconnects. */
export async function withSftpFiles<T>(
  { credential, sockets, signal }: Connecting,
  work: (files: RemoteFiles) => Promise<T>,
): Promise<T> {
  const egress = { openSocket: (to: SocketRequest) => sockets.open(to) };
  try {
    const { hostKey, ...login } = await readLogin(credential);
    if (hostKey === undefined) throw unknownKey(login.host, await showHostKey(egress, login, signal));
    return await withSftp(
      egress,
      { ...login, hostKey },
      { signal, work: (session) => work(filesOver('SFTP', session)) },
    );
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
