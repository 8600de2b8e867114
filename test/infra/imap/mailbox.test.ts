import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseAllowList } from '#src/infra/egress/allow-list.ts';
import { createEgress, type Egress } from '#src/infra/egress/egress.ts';
import { withMailbox } from '#src/infra/imap/mailbox.ts';
import { type HostileImapServer, startHostileImapServer } from './hostile-imap-server.ts';

let server: HostileImapServer;
let egress: Egress;
beforeEach(async () => {
  server = await startHostileImapServer();
  egress = createEgress({ allow: parseAllowList(`127.0.0.1:${server.port}`) });
});
afterEach(async () => {
  await egress.close();
  await server.close();
});

const list = (security: 'none' | 'starttls' = 'none', signal = new AbortController().signal) =>
  withMailbox(
    egress,
    { host: '127.0.0.1', port: server.port, username: 'shop', secret: { password: 'correct horse' }, security },
    {
      mailbox: 'INBOX',
      readOnly: true,
      signal,
      work: (mailbox) => mailbox.list({ after: 0, since: undefined, limit: 10 }),
    },
  );

test('a server that is honest has its mails listed', async () => {
  expect(await list()).toMatchObject({ heads: [{ uid: 1, header: Buffer.from('Subject: hello') }], last: 1 });
});

test('a server that does not tell its next UID has no mail skipped', async () => {
  server.answers['EXAMINE'] = '* 1 EXISTS\r\n* OK [UIDVALIDITY 1] valid\r\n';
  server.answers['SEARCH'] = '* SEARCH\r\n';
  expect(await list()).toEqual({ heads: [], last: 0, complete: true });
});

const endless = (text: string) => (socket: Socket) => {
  const more = (): void => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', more);
  more();
};

test.each<[name: string, answers: HostileImapServer['answers'], code: string]>([
  ['sends a value of five gigabytes', { FETCH: '* 1 FETCH (UID 1 BODY[HEADER]<0> {5000000000}\r\n' }, 'protocol'],
  ['sends a line without end', { SEARCH: endless('* SEARCH 1'.repeat(1_000)) }, 'protocol'],
  ['sends lists within lists', { FETCH: `* 1 FETCH (UID 1 ENVELOPE ${'('.repeat(5_000)}\r\n` }, 'protocol'],
  ['sends rows without end', { FETCH: endless('* 1 FETCH (UID 1 FLAGS ())\r\n'.repeat(1_000)) }, 'protocol'],
  ['ends the connection in an answer', { FETCH: (socket) => void socket.end('* 1 FETCH (UID 1') }, 'disconnected'],
  ['ends the connection after the login', { EXAMINE: (socket) => void socket.end() }, 'disconnected'],
  ['says goodbye', { EXAMINE: (socket) => void socket.end('* BYE not now\r\n') }, 'disconnected'],
])('a server is left if it %s', async (_name, answers, code) => {
  server.answers = answers;
  await expect(list()).rejects.toMatchObject({ code });
});

test.each([
  ['offers no TLS', '* OK hello\r\n'],
  ['skips the login', '* PREAUTH welcome\r\n'],
])('a server that should use TLS gets no password if it %s', async (_name, greeting) => {
  server.greeting = greeting;
  await expect(list('starttls')).rejects.toMatchObject({ code: 'no_tls' });
  expect(server.lines.join()).not.toMatch(/LOGIN|AUTHENTICATE|correct/);
});

test('a server that does not answer is left when the step ends', async () => {
  const stop = new AbortController();
  server.answers['SEARCH'] = () => stop.abort(new Error('The step has ended.'));
  await expect(list('none', stop.signal)).rejects.toThrow();
});
