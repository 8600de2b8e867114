import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface HostileFtpServer {
  port: number;
  /** The port of its data connections. */
  dataPort: number;
  /** The commands that it got, with their arguments. */
  commands: string[];
  /** Answers by command instead of those of an honest server; null for none. */
  answers: Record<string, string | ((control: Socket) => string) | null>;
  /** What it sends over each data connection. */
  data: string;
  close(): Promise<void>;
}

/** A server without TLS that lets anyone in, and answers and sends what a test says. */
export async function startHostileFtpServer(): Promise<HostileFtpServer> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const here = { commands: [], answers: {}, data: '' } as unknown as HostileFtpServer;
  const data = createServer((socket) => {
    keep(socket);
    socket.end(here.data);
  });
  const honest: Record<string, string> = {
    USER: '331 Password?',
    FEAT: '211-Features:\r\n MLST type*;size*;modify*;\r\n211 End',
    PWD: '257 "/" is the directory',
    MLSD: '150 Here it comes\r\n226 Done',
    RETR: '150 Here it comes\r\n226 Done',
    SIZE: '213 10',
    MDTM: '213 20260101000000',
  };
  const control = createServer((socket) => {
    keep(socket);
    socket.write('220 Welcome\r\n');
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      for (const line of chunk.split('\r\n').filter((each) => each !== '')) {
        here.commands.push(line);
        const command = line.split(' ')[0] ?? '';
        const passive = `229 Passive (|||${here.dataPort}|)`;
        const given = Object.hasOwn(here.answers, command) ? here.answers[command] : undefined;
        if (given === null) return;
        const answer = typeof given === 'function' ? given(socket) : given;
        const usual = command === 'EPSV' ? passive : (honest[command] ?? '200 OK');
        socket.write(`${answer ?? usual}\r\n`);
      }
    });
  });
  for (const server of [control, data]) await once(server.listen(0, '127.0.0.1'), 'listening');
  here.port = (control.address() as AddressInfo).port;
  here.dataPort = (data.address() as AddressInfo).port;
  here.close = async () => {
    for (const socket of sockets) socket.destroy();
    for (const server of [control, data]) await new Promise((closed) => server.close(closed));
  };
  return here;
}
