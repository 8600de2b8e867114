import { z } from 'zod';

/** The name of a mailbox, as the server writes it. A line break could end a command. */
export const mailboxName = z
  .string()
  .min(1)
  .max(500)
  .regex(/^\P{Cc}+$/u, 'must be a name without control characters.');

const uid = z
  .int()
  .min(1)
  .max(2 ** 32 - 1);

/** A mail of a list, or of a poll of one. Its other members are for people and expressions. */
export const mailReference = z.object(
  { mailbox: mailboxName, uid, uid_validity: uid },
  'must be a mail of core:list-mails.',
);

export type MailReference = z.output<typeof mailReference>;
