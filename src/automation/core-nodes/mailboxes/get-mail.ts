import type { Readable } from 'node:stream';
import { z } from 'zod';
import { defineNode } from '#src/automation/core-nodes/core-node.ts';
import { credentialId } from '#src/automation/core-nodes/remote-files/config.ts';
import type { FileReference } from '#src/automation/node-api/file-reference.ts';
import type { Mailbox } from '#src/infra/imap/mailbox.ts';
import { mailReference } from './mailbox-config.ts';

/** Characters of the text, and of the HTML. */
const maxText = 200_000;
const maxAttachments = 100;

export const getMailNode = defineNode({
  name: 'get-mail',
  config: z.object({ credential: credentialId, mail: mailReference }),
  effect: 'effect',
  uses: ['credentials', 'sockets', 'files'],
  async execute({ credential, mail: { uid, ...place } }, ctx) {
    const [{ noMail, openMail }, { readMembers }] = await Promise.all([
      import('./imap-mailbox.ts'),
      import('./mail-members.ts'),
    ]);
    return openMail(ctx, { credential, mail: { uid, ...place }, readOnly: true }, async (mailbox) => {
      const [head, parts] = [await mailbox.head(uid), await mailbox.parts(uid)];
      if (!head || !parts) throw noMail(place.mailbox);
      const members = await readMembers(place, head);
      const [text, html] = [
        await readText(mailbox, uid, parts.text?.part),
        await readText(mailbox, uid, parts.html?.part),
      ];
      const attachments: FileReference[] = [];
      for (const { part, type, name } of parts.attachments.slice(0, maxAttachments)) {
        const file = { name: name ?? (type === 'message/rfc822' ? 'mail.eml' : 'attachment'), type };
        attachments.push(await ctx.ports.files.create(file, mailbox.content(uid, { part, asText: false })));
      }
      const isComplete = text.isComplete && html.isComplete && attachments.length === parts.attachments.length;
      return { outputs: { ...members, text: text.value, html: html.value, attachments, complete: isComplete } };
    });
  },
});

interface ReadText {
  value: string | null;
  isComplete: boolean;
}

async function readText(mailbox: Mailbox, uid: number, part: string | undefined): Promise<ReadText> {
  if (part === undefined) return { value: null, isComplete: true };
  let value = '';
  const content: Readable = mailbox.content(uid, { part, asText: true });
  for await (const piece of content.setEncoding('utf8')) {
    value += String(piece);
    // This also ends the stream.
    if (value.length > maxText) return { value: value.slice(0, maxText).toWellFormed(), isComplete: false };
  }
  return { value: value.toWellFormed(), isComplete: true };
}
