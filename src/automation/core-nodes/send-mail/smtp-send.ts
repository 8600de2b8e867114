import type { Socket } from 'node:net';
import { toConnectionError } from '#src/automation/core-nodes/remote-files/node-errors.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { SocketsPort } from '#src/automation/node-api/ports.ts';
import { checkOverSocket, type SocketMail, sendOverSocket } from '#src/infra/mail/mail-over-socket.ts';
import type { SmtpServer } from './smtp-server.ts';

/** The only ports below 1024 to which mail may be sent, because the others belong to other protocols. */
const mailPorts: readonly number[] = [25, 465, 587];

interface Sent {
  message_id: string;
  accepted: string[];
  rejected: string[];
}

/** Sends one mail over a new connection. */
export async function sendOver(
  sockets: SocketsPort,
  server: SmtpServer,
  signal: AbortSignal,
  mail: SocketMail,
): Promise<Sent> {
  const send = (connection: Socket) => sendOverSocket(connection, server, mail);
  const { messageId, accepted, rejected } = await withConnection(sockets, server, { signal, work: send });
  return { message_id: messageId, accepted: accepted.map(String), rejected: rejected.map(String) };
}

/** Logs in and sends nothing. */
export const checkLogin = (sockets: SocketsPort, server: SmtpServer, signal: AbortSignal): Promise<void> =>
  withConnection(sockets, server, { signal, work: (connection) => checkOverSocket(connection, server) });

/** The address of the server is checked like that of every outbound request. */
async function withConnection<T>(
  sockets: SocketsPort,
  { host, port }: SmtpServer,
  { signal, work }: { signal: AbortSignal; work: (connection: Socket) => Promise<T> },
): Promise<T> {
  try {
    const connection = await sockets.open({
      host,
      port,
      usualPort: mailPorts.find((each) => each === port) ?? 587,
    });
    const stop = (): void => void connection.destroy(new Error('The step was stopped.'));
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await work(connection);
    } finally {
      signal.removeEventListener('abort', stop);
      connection.destroy();
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : toNodeError(error, `${host}:${port}`);
  }
}

/** Only a refusal that the server calls temporary is tried again, because after any other failure the server may have accepted the mail. */
function toNodeError(error: unknown, where: string): unknown {
  if (!(error instanceof Error) || error.name === 'EgressError' || error instanceof NodeError)
    return toConnectionError('SMTP', error);
  const { code, command, responseCode, response } = error as Error &
    Record<'code' | 'command' | 'responseCode' | 'response', unknown>;
  const status = typeof responseCode === 'number' ? responseCode : undefined;
  const retryable = status !== undefined && status >= 400 && status < 500;
  const fail = (as: string, message: string): NodeError => new NodeError(as, message, { retryable, cause: error });
  // The server's answer to a login may repeat the user or the password.
  if (code === 'EAUTH') return fail('SMTP_AUTH', `${where} refused the user or the password.`);
  if (code === 'ETLS' || /certificate|TLS|SSL/i.test(error.message))
    return fail('SMTP_TLS', `${where} offers no TLS, or its certificate is not trusted.`);
  const refused = isGreeting(command) ? 'connection' : 'mail';
  if (status !== undefined) return fail('SMTP_REFUSED', `${where} refused the ${refused}: ${quote(response)}`);
  if (code === 'ETIMEDOUT') return fail('SMTP_TIMEOUT', `${where} did not answer in time.`);
  return fail('SMTP_DISCONNECTED', `${where} closed the connection before it had accepted the mail.`);
}

/** True for a step before the login, so that the test of a credential does not speak of a mail. */
const isGreeting = (command: unknown): boolean => ['CONN', 'EHLO', 'HELO'].includes(String(command));

const quote = (response: unknown): string =>
  String(response)
    .slice(0, 300)
    .replaceAll(/\p{Cc}+/gu, ' ');
