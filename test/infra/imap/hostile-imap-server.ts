import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface HostileImapServer {
  port: number;
  greeting: string;
  /** Answers by command before the tagged OK, instead of those of an honest server. */
  answers: Record<string, string | ((socket: Socket) => void)>;
  /** The lines that it got. */
  lines: string[];
  close(): Promise<void>;
}

/** A server without TLS that lets anyone in, and answers what a test says. */
export async function startHostileImapServer(): Promise<HostileImapServer> {
  const sockets = new Set<Socket>();
  const honest: Record<string, string> = {
    CAPABILITY: '* CAPABILITY IMAP4rev1\r\n',
    EXAMINE: '* 1 EXISTS\r\n* OK [UIDVALIDITY 1] valid\r\n* OK [UIDNEXT 2] next\r\n',
    SEARCH: '* SEARCH 1\r\n',
    FETCH: '* 1 FETCH (UID 1 RFC822.SIZE 10 BODY[HEADER]<0> {14}\r\nSubject: hello)\r\n',
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.write(here.greeting);
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      for (const line of chunk.split('\r\n').filter((each) => each !== '')) {
        here.lines.push(line);
        const [tag = '', ...words] = line.split(' ');
        const command = (words[0] === 'UID' ? words[1] : words[0]) ?? '';
        const answer = here.answers[command] ?? honest[command] ?? '';
        if (typeof answer === 'function') answer(socket);
        else socket.write(`${answer}${tag} OK done\r\n`);
      }
    });
  });
  const here: HostileImapServer = {
    port: 0,
    greeting: '* OK hello\r\n',
    answers: {},
    lines: [],
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  here.port = (server.address() as AddressInfo).port;
  return here;
}
