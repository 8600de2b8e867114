import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { defineNode } from '#src/automation/core-nodes/core-node.ts';
import { credentialId } from '#src/automation/core-nodes/remote-files/config.ts';
import { isFileReference, type FileReference } from '#src/automation/node-api/file-reference.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { FilesPort } from '#src/automation/node-api/ports.ts';
import { addressList } from './addresses.ts';
import { readSmtpServer } from './smtp-server.ts';

const maxAttachments = 20;
const maxAttachedBytes = 25 * 1024 * 1024;
const maxText = 2 * 1024 * 1024;

const attachment = z.custom<Pick<FileReference, 'file'>>(isFileReference, 'must be the file of a step.');

export const sendMailNode = defineNode({
  name: 'send-mail',
  config: z
    .object({
      credential: credentialId,
      to: addressList.refine((list) => list.length > 0, 'is required.'),
      cc: addressList.nullish(),
      bcc: addressList.nullish(),
      reply_to: addressList.nullish(),
      subject: z
        .string()
        .min(1)
        .max(500)
        .refine((text) => !/\p{Cc}/u.test(text), 'must be one line.'),
      text: z.string().max(maxText).nullish(),
      html: z.string().max(maxText).nullish(),
      attachments: z.array(attachment).max(maxAttachments).nullish(),
    })
    .refine(({ text, html }) => Boolean(text) || Boolean(html), {
      path: ['text'],
      message: 'is required without html.',
    }),
  effect: 'effect',
  // If the connection is lost after the server accepted the mail, the mail has been sent.
  isRepeatable: false,
  uses: ['credentials', 'sockets', 'files'],
  async execute(config, { ports, signal, idempotencyKey }) {
    const server = await readSmtpServer(await ports.credentials.open(String(config.credential)));
    const { to, cc, bcc, reply_to: replyTo, subject, text, html } = config;
    const attachments = await openAttachments(config.attachments ?? [], ports.files);
    // Loaded with the first use, because most workers need none.
    const { sendOver } = await import('./smtp-send.ts');
    const sent = await sendOver(ports.sockets, server, signal, {
      from: server.from,
      to,
      ...(cc && { cc }),
      ...(bcc && { bcc }),
      ...(replyTo && { replyTo }),
      subject,
      ...(text && { text }),
      ...(html && { html }),
      attachments,
      messageId: `<${digest([idempotencyKey, config])}@${server.from.address.replace(/^.*@/, '')}>`,
    });
    return { outputs: { ...sent } };
  },
});

/** The message id is the same for each attempt at a step, so that a receiver can recognise a mail that arrives twice. */
const digest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 40);

async function openAttachments(references: readonly Pick<FileReference, 'file'>[], files: FilesPort) {
  const opened = await Promise.all(references.map((reference) => files.open(reference)));
  if (opened.reduce((sum, { size }) => sum + size, 0) > maxAttachedBytes)
    throw new NodeError(
      'SMTP_TOO_LARGE',
      `The attachments are larger than ${maxAttachedBytes} bytes together. Send a link instead.`,
    );
  return opened.map(({ name, type, stream }) => ({
    filename: name,
    contentType: type,
    // The file is opened only when it is sent.
    content: Readable.from(
      (async function* read() {
        yield* await stream();
      })(),
      { objectMode: false },
    ),
  }));
}
