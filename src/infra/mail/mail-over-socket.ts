import type { Socket } from 'node:net';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { tlsOptions } from '#src/infra/egress/with-connection.ts';

const answerMs = 10_000;
const idleMs = 30_000;

export type SocketMail = SendMailOptions;

interface MailServer {
  host: string;
  tls: 'starttls' | 'implicit' | 'none';
  auth?: { user: string; pass: string } | undefined;
  ca?: string | undefined;
}

/** Sends one mail over a connection that egress has opened. Rejects with the errors of nodemailer. */
export const sendOverSocket = (connection: Socket, server: MailServer, mail: SocketMail) =>
  open(connection, server).sendMail(mail);

/** Greets and logs in, and sends nothing. Rejects with the errors of nodemailer. */
export async function checkOverSocket(connection: Socket, server: MailServer): Promise<void> {
  await open(connection, server).verify();
}

const open = (connection: Socket, { host, tls, auth, ca }: MailServer) =>
  createTransport({
    host,
    connection,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...(auth && { auth }),
    tls: tlsOptions(host, ca),
    connectionTimeout: answerMs,
    greetingTimeout: answerMs,
    socketTimeout: idleMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
