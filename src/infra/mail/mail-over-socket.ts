import type { Socket } from 'node:net';
import { createTransport, type SendMailOptions } from 'nodemailer';

const answerMs = 10_000;
const idleMs = 30_000;

export type SocketMail = SendMailOptions;

/** Sends one mail over a connection that egress has opened. Rejects with the errors of nodemailer. */
export async function sendOverSocket(
  connection: Socket,
  server: {
    host: string;
    tls: 'starttls' | 'implicit' | 'none';
    auth?: { user: string; pass: string } | undefined;
    ca?: string | undefined;
  },
  mail: SocketMail,
) {
  const { host, tls, auth, ca } = server;
  const transport = createTransport({
    host,
    connection,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...(auth && { auth }),
    tls: { servername: host, ...(ca && { ca }) },
    connectionTimeout: answerMs,
    greetingTimeout: answerMs,
    socketTimeout: idleMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return transport.sendMail(mail);
}
