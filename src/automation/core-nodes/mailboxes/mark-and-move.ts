import { z } from 'zod';
import { defineNode } from '#src/automation/core-nodes/core-node.ts';
import { credentialId } from '#src/automation/core-nodes/remote-files/config.ts';
import { mailboxName, mailReference } from './mailbox-config.ts';

export const markMailNode = defineNode({
  name: 'mark-mail',
  config: z.object({ credential: credentialId, mail: mailReference, seen: z.boolean().default(true) }),
  effect: 'effect',
  uses: ['credentials', 'sockets'],
  async execute({ credential, mail, seen }, ctx) {
    const { noMail, openMail } = await import('./imap-mailbox.ts');
    return openMail(ctx, { credential, mail, readOnly: false }, async (opened) => {
      if (!(await opened.head(mail.uid))) throw noMail(mail.mailbox);
      await opened.mark(mail.uid, seen);
      return { outputs: { ...mail, seen } };
    });
  },
});

export const moveMailNode = defineNode({
  name: 'move-mail',
  config: z.object({ credential: credentialId, mail: mailReference, to: mailboxName }),
  effect: 'effect',
  uses: ['credentials', 'sockets'],
  async execute({ credential, mail, to }, ctx) {
    const { noMail, openMail } = await import('./imap-mailbox.ts');
    return openMail(ctx, { credential, mail, readOnly: false }, async (opened) => {
      if (!(await opened.head(mail.uid))) throw noMail(mail.mailbox);
      const place = await opened.move(mail.uid, to);
      return { outputs: { mailbox: to, uid: place?.uid ?? null, uid_validity: place?.uidValidity ?? null } };
    });
  },
});
