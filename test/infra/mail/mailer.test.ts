import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createMailer, MailError, type Mailer } from '#src/infra/mail/mailer.ts';
import { type MailServer, startMailServer } from './mail-server.ts';

let server: MailServer;
let mailer: Mailer;
beforeAll(async () => {
  server = await startMailServer();
  mailer = createMailer({ url: server.url, from: 'Causeway <alerts@hub.example>' });
});
afterAll(() => server.stop());
beforeEach(() => {
  server.mails.length = 0;
  server.refused.clear();
  server.answer = null;
});

const mail = {
  id: '6f1c1df5-5b5c-4ad1-8f5d-3a8a4b7c9d10',
  to: ['ops@shop.example', 'night@shop.example'],
  subject: 'Three runs failed in “Bestellungen”',
  text: 'Three runs failed.',
  html: '<p>Three runs failed.</p>',
};

test('a mail has all addresses, both forms of its text, and the id by which it is recognised', async () => {
  expect(await mailer.send(mail)).toEqual([]);
  const [taken] = server.mails;
  expect(taken?.to).toEqual(mail.to);
  expect(taken?.headers.get('from')).toBe('Causeway <alerts@hub.example>');
  expect(taken?.headers.get('message-id')).toBe(`<${mail.id}@hub.example>`);
  expect(taken?.headers.get('auto-submitted')).toBe('auto-generated');
  expect(taken?.body).toContain('text/plain');
  expect(taken?.body).toContain(mail.html);
});

test.each([
  'Failed\r\nBcc: thief@evil.example',
  'Failed\nBcc: thief@evil.example',
  'Failed\rBcc: thief@evil.example',
  'Failed\r\n\r\nA body of another',
])('a subject adds no header and no body: %j', async (subject) => {
  await mailer.send({ ...mail, subject });
  const [taken] = server.mails;
  expect(taken?.to).toEqual(mail.to);
  expect([...(taken?.headers.keys() ?? [])].filter((name) => name === 'bcc')).toEqual([]);
  expect(taken?.headers.get('subject')).toMatch(/^Failed/);
  expect(taken?.headers.has('mime-version')).toBe(true);
});

test('addresses that the server refuses are told apart from those that got the mail', async () => {
  server.refused.add('night@shop.example');
  expect(await mailer.send(mail)).toEqual(['night@shop.example']);
  expect(server.mails.map(({ to }) => to)).toEqual([['ops@shop.example']]);
});

test('a mail that nobody got is an error that says what the server said', async () => {
  for (const address of mail.to) server.refused.add(address);
  await expect(mailer.send(mail)).rejects.toThrow(/No mailbox/);
  server.refused.clear();
  server.answer = { code: 452, message: 'The disk is full' };
  await expect(mailer.send(mail)).rejects.toThrow(/did not take the mail: .*The disk is full/);
  expect(server.mails).toEqual([]);
});

test('a server that is away is an error, and the next mail finds it when it is back', async () => {
  await server.stop();
  await expect(mailer.send(mail)).rejects.toBeInstanceOf(MailError);
  await server.start();
  expect(await mailer.send(mail)).toEqual([]);
  expect(server.mails).toHaveLength(1);
});
