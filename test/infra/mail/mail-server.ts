import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { SMTPServer } from 'smtp-server';

/** A mail as a server took it. */
export interface TakenMail {
  to: string[];
  /** The fields of the header by name, unfolded, as they were sent. */
  headers: Map<string, string>;
  raw: string;
  /** The text and the HTML, decoded. */
  body: string;
}

export interface MailServer {
  /** `smtp://127.0.0.1:<port>` */
  url: string;
  mails: TakenMail[];
  /** Addresses that it refuses. */
  refused: Set<string>;
  /** What it answers at the end of a mail instead of taking it; null: it takes it. */
  answer: { code: number; message: string } | null;
  /** The name that the last client asked for in its TLS handshake; false if it asked for none. */
  serverName: string | false | null;
  /** Called before it answers a mail that it has taken. */
  onTaken: (() => void) | null;
  /** Takes no more connections, until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** The text of a header or a body without the soft line breaks and escapes of quoted-printable. */
const decoded = (text: string): string => {
  const bytes = text
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
};

function readMail(raw: string, to: string[]): TakenMail {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[\t ]+/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { to, headers, raw, body: decoded(raw.slice(end)) };
}

export interface MailServerOptions {
  /** The certificate for STARTTLS, or for TLS from the first byte. Without one the server has no TLS. */
  tls?: { key: string; cert: string; from: 'starttls' | 'first byte' };
  /** The only user, who must log in. */
  user?: { name: string; password: string };
}

/** A real mail server on this machine, which keeps what it takes. */
export async function startMailServer({ tls, user }: MailServerOptions = {}): Promise<MailServer> {
  let server: SMTPServer | undefined;
  let port = 0;
  const mails: TakenMail[] = [];
  const here: MailServer = {
    url: '',
    mails,
    refused: new Set(),
    answer: null,
    serverName: null,
    onTaken: null,
    async start() {
      server = new SMTPServer({
        authOptional: user === undefined,
        allowInsecureAuth: true,
        disabledCommands: tls ? [] : ['STARTTLS'],
        disableReverseLookup: true,
        ...(tls && { key: tls.key, cert: tls.cert, secure: tls.from === 'first byte' }),
        onSecure(socket, _session, callback) {
          here.serverName = (socket as TLSSocket).servername;
          callback();
        },
        onAuth({ username, password }, _session, callback) {
          if (username === user?.name && password === user?.password) callback(null, { user: username });
          else callback(new Error(`No ${password}`));
        },
        onRcptTo({ address }, _session, callback) {
          const isRefused = here.refused.has(address);
          callback(isRefused ? Object.assign(new Error(`No mailbox ${address}`), { responseCode: 550 }) : null);
        },
        onData(stream, session, callback) {
          const chunks: Buffer[] = [];
          stream.on('data', (chunk: Buffer) => chunks.push(chunk));
          stream.on('end', () => {
            const { answer } = here;
            if (answer) return callback(Object.assign(new Error(answer.message), { responseCode: answer.code }));
            const raw = Buffer.concat(chunks).toString('utf8');
            mails.push(
              readMail(
                raw,
                session.envelope.rcptTo.map(({ address }) => address),
              ),
            );
            here.onTaken?.();
            callback(null);
          });
        },
      });
      // A client that goes away in the middle of a mail.
      server.on('error', () => undefined);
      server.listen(port, '127.0.0.1');
      await once(server.server, 'listening');
      ({ port } = server.server.address() as AddressInfo);
      here.url = `smtp://127.0.0.1:${port}`;
    },
    async stop() {
      const closing = server;
      server = undefined;
      if (!closing) return;
      await new Promise<void>((resolve) => {
        closing.close(() => resolve());
      });
    },
  };
  await here.start();
  return here;
}
