import { needField } from '#src/automation/node-api/credential-parts.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { restorePem } from '#src/automation/node-api/pem.rules.ts';
import type { OpenCredential } from '#src/automation/node-api/ports.ts';
import type { SocketRequest } from '#src/infra/egress/open-socket.ts';
import { type FtpLogin, ftpPort, implicitFtpsPort } from '#src/infra/ftp/connect-ftp.ts';
import { FtpError, type FtpErrorCode } from '#src/infra/ftp/ftp-error.ts';
import { withFtp } from '#src/infra/ftp/ftp-session.ts';
import { toConnectionError } from './node-errors.ts';
import type { Connecting, RemoteFiles } from './remote-files.ts';
import { filesOver } from './session-files.ts';

/** Connects to an FTP server, runs `work` and disconnects. */
export async function withFtpFiles<T>(
  { credential, sockets, signal }: Connecting,
  work: (files: RemoteFiles) => Promise<T>,
): Promise<T> {
  const egress = { openSocket: (to: SocketRequest) => sockets.open(to) };
  try {
    const login = await readLogin(credential);
    return await withFtp(egress, login, { signal, work: (session) => work(filesOver('FTP', session)) });
  } catch (error) {
    throw signal.aborted ? signal.reason : toNodeError(error);
  }
}

/** Reads the login of a credential. Anything but a known word is explicit TLS, so that no typing error sends a password unencrypted. */
async function readLogin(credential: OpenCredential): Promise<FtpLogin> {
  const [port, given, ca] = await Promise.all(['port', 'security', 'ca'].map((name) => credential.field(name)));
  const security = given === 'implicit' || given === 'none' ? given : 'explicit';
  return {
    host: await needField(credential, 'host'),
    port: Number(port ?? (security === 'implicit' ? implicitFtpsPort : ftpPort)),
    username: await needField(credential, 'username'),
    password: await needField(credential, 'password'),
    security,
    ...(ca !== undefined && { ca: restorePem(ca) }),
  };
}

const codes: Readonly<Record<FtpErrorCode, { code: string; retryable?: true }>> = {
  refused_login: { code: 'FTP_AUTH' },
  no_tls: { code: 'FTP_TLS' },
  timeout: { code: 'FTP_TIMEOUT', retryable: true },
  disconnected: { code: 'FTP_DISCONNECTED', retryable: true },
  not_found: { code: 'FTP_NOT_FOUND' },
  permission: { code: 'FTP_PERMISSION' },
  too_many_entries: { code: 'FTP_TOO_MANY_FILES' },
  busy: { code: 'FTP_UNAVAILABLE', retryable: true },
  protocol: { code: 'FTP_REFUSED' },
};

function toNodeError(error: unknown): unknown {
  if (!(error instanceof FtpError)) return toConnectionError('FTP', error);
  const { code, retryable = false } = codes[error.code];
  return new NodeError(code, error.message, { retryable, cause: error });
}
