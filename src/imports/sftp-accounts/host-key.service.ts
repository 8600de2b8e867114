import type { Deps } from '#src/infra/deps.ts';
import { EgressError } from '#src/infra/egress/errors.ts';
import { ValidationError } from '#src/infra/errors.ts';
import { type SftpServer, sftpPort, showHostKey } from '#src/infra/sftp/connect-sftp.ts';
import { SftpError } from '#src/infra/sftp/sftp-error.ts';

/** Milliseconds to wait for the key of a server, while a person waits. */
const showMs = 10_000;

/** Throws a ValidationError at `host` for a server that may never be called. */
export function assertServer({ egress }: Pick<Deps, 'egress'>, { host, port }: SftpServer): void {
  try {
    egress.checkSocket({ host, port, usualPort: sftpPort });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    throw new ValidationError({ [error.code === 'refused_port' ? 'port' : 'host']: [error.message] });
  }
}

/** The error for a missing host key; it names the key that the server shows now. */
export async function missingHostKey(deps: Pick<Deps, 'egress'>, server: SftpServer): Promise<ValidationError> {
  const shown = await showHostKey(deps.egress, server, AbortSignal.timeout(showMs)).catch((error: unknown) => {
    if (error instanceof EgressError || error instanceof SftpError) return error;
    throw error;
  });
  const sentence =
    typeof shown === 'string'
      ? `The server shows ${shown} now. Compare it with what its operator tells you, and send it as the host key.`
      : `Send the server's host key as \`ssh-keygen -lf\` prints it. The server could not be asked for it: ${shown.message}`;
  return new ValidationError({ hostKey: [sentence] });
}
