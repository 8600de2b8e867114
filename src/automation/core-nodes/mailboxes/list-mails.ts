import { z } from 'zod';
import { defineNode } from '#src/automation/core-nodes/core-node.ts';
import { credentialId } from '#src/automation/core-nodes/remote-files/config.ts';
import type { NodePorts } from '#src/automation/node-api/ports.ts';
import type { MailMembers } from './mail-members.ts';
import { mailboxName } from './mailbox-config.ts';

/** UIDVALIDITY and the last UID. */
const position = /^(\d{1,10}):(\d{1,10})$/;

const config = z.object({
  credential: credentialId,
  mailbox: mailboxName.default('INBOX'),
  after: z.union([z.string().regex(position, 'must be the position of another list.'), z.literal('')]).nullish(),
  since: z.iso.date('must be a date, such as 2026-01-31.').nullish(),
  limit: z.int().min(1).max(200).default(100),
});

async function listMails(
  { credential, mailbox, after, since, limit }: z.output<typeof config>,
  ctx: { ports: Pick<NodePorts, 'credentials' | 'sockets'>; signal: AbortSignal },
) {
  // Loaded with the first use, because most workers need none.
  const [{ openMailbox }, { readMembers }] = await Promise.all([
    import('./imap-mailbox.ts'),
    import('./mail-members.ts'),
  ]);
  return openMailbox(ctx, { credential, mailbox, readOnly: true }, async (opened) => {
    const { uidValidity } = opened;
    const [, validity, last] = position.exec(after ?? '') ?? [];
    const page = await opened.list({
      // With another UIDVALIDITY the server has renumbered its mails, so any of them may be new.
      after: Number(validity) === uidValidity ? Number(last) : 0,
      since: since == null ? undefined : new Date(since),
      limit,
    });
    const place = { mailbox, uid_validity: uidValidity };
    const mails: MailMembers[] = [];
    for (const head of page.heads) mails.push(await readMembers(place, head));
    return { mails, position: `${uidValidity}:${page.last}`, complete: page.complete };
  });
}

export const listMailsNode = defineNode({
  name: 'list-mails',
  config,
  effect: 'effect',
  uses: ['credentials', 'sockets'],
  readList: listMails,
  execute: async (given, ctx) => ({ outputs: await listMails(given, ctx) }),
});
