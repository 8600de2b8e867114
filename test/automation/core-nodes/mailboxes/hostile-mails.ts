import { expect } from 'vitest';

interface HostileMail {
  source: string | Buffer;
  /** The outputs of `core:get-mail`, or the code of its failure. */
  read: unknown;
}

const lines = (...all: string[]): string => all.join('\r\n');
const parts = (count: number): string =>
  Array.from({ length: count }, (_, index) =>
    lines('--x', `Content-Disposition: attachment; filename=${index}`, '', 'part', ''),
  ).join('');

/** A part in a part in a part. */
const nested = (depth: number): string =>
  Array.from({ length: depth }, (_, index) =>
    lines(`Content-Type: multipart/mixed; boundary=b${index}`, '', `--b${index}`, ''),
  ).join('');

/** Mails that strangers could send. */
export const hostileMails: Readonly<Record<string, HostileMail>> = {
  'thousands of parts': {
    source: lines('Subject: parts', 'Content-Type: multipart/mixed; boundary=x', '', parts(3_000)),
    read: expect.objectContaining({ complete: false, attachments: expect.objectContaining({ length: 100 }) }),
  },
  'parts within parts': {
    source: lines('Subject: deep', nested(400)),
    read: expect.objectContaining({ subject: 'deep' }),
  },
  'a header of three megabytes': {
    source: lines(`X-Filler: ${'x'.repeat(3_000_000)}`, 'Subject: late', '', 'text'),
    read: expect.objectContaining({ subject: '', text: 'text' }),
  },
  'a header of six megabytes': {
    source: lines(`X-Filler: ${'x'.repeat(6_000_000)}`, 'Subject: late', '', 'text'),
    read: 'IMAP_REFUSED',
  },
  'ten thousand recipients': {
    source: lines('Subject: many', `To: ${'a@example.com,\r\n '.repeat(10_000)}b@example.com`, '', 'text'),
    read: expect.objectContaining({ subject: 'many', to: expect.objectContaining({ length: 50 }) }),
  },
  'no header': {
    source: '\r\njust text',
    read: expect.objectContaining({ subject: '', from: null, message_id: null }),
  },
  'nothing at all': { source: '\r\n', read: expect.objectContaining({ subject: '', text: '' }) },
  'unknown charsets and broken words': {
    source: lines(
      'Subject: =?x-unknown?q?=FF=FE?= =?utf-8?b?!!!?= =?utf-8?q?=C3?=',
      'From: "unclosed <a@b',
      'Date: yesterday',
      'Content-Type: text/plain; charset="x-nothing"',
      '',
      '\u00ff\u00fe',
    ),
    read: expect.objectContaining({ date: null }),
  },
  'a boundary that never ends and a broken encoding': {
    source: lines(
      'Subject: broken',
      'Content-Type: multipart/mixed; boundary=x',
      '',
      '--x',
      'Content-Transfer-Encoding: base64',
      'Content-Disposition: attachment',
      '',
      '%%%%====zzz',
    ),
    read: expect.objectContaining({ attachments: [expect.objectContaining({ name: 'attachment' })] }),
  },
  'a text of half a megabyte': {
    source: lines('Subject: long', '', 'x'.repeat(70), 'word '.repeat(100_000)),
    read: expect.objectContaining({ complete: false, text: expect.objectContaining({ length: 200_000 }) }),
  },
};
