import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import PostalMime, { type Address, type Mailbox as Sender } from 'postal-mime';
import type { MailHead } from '#src/infra/imap/mailbox.ts';

/** A mail as lists and steps have it, without its content. Everything in it may come from strangers, so its size is bounded. */
export interface MailMembers {
  /** The same for the same mail, also after the server has renumbered its mails if the mail has a `message_id`. */
  id: string;
  mailbox: string;
  uid: number;
  uid_validity: number;
  message_id: string | null;
  in_reply_to: string | null;
  /** The time that the sender states. */
  date: string | null;
  received_at: string | null;
  from: MailAddress | null;
  reply_to: MailAddress[];
  to: MailAddress[];
  cc: MailAddress[];
  subject: string;
  size: number;
  seen: boolean;
}

interface MailAddress {
  name: string;
  address: string;
}

const maxText = 1_000;
const maxAddresses = 50;

const cut = (text: string | undefined, length: number): string => (text ?? '').slice(0, length).toWellFormed();
const cutOrNull = (text: string | undefined): string | null => (text ? cut(text, maxText) : null);

/** Reads the header of a mail. */
export async function readMembers(
  place: Pick<MailMembers, 'mailbox' | 'uid_validity'>,
  { uid, size, isSeen, receivedAt, header }: MailHead,
): Promise<MailMembers> {
  // The header of a hostile mail takes up to 0.1 s. Other work has its turn between two mails.
  await setImmediate();
  const mail = await PostalMime.parse(header);
  const members = {
    message_id: cutOrNull(mail.messageId),
    in_reply_to: cutOrNull(mail.inReplyTo),
    date: toTime(mail.date),
    received_at: receivedAt?.toISOString() ?? null,
    from: listAddresses(mail.from && [mail.from])[0] ?? null,
    reply_to: listAddresses(mail.replyTo),
    to: listAddresses(mail.to),
    cc: listAddresses(mail.cc),
    subject: cut(mail.subject, maxText),
  };
  return { id: identify(members, { ...place, uid }), ...place, uid, ...members, size, seen: isSeen };
}

/** The Message-ID alone is not enough, because careless senders repeat it. Without one, mails may differ in nothing but their place. */
function identify(
  { message_id, date, from, subject }: Pick<MailMembers, 'message_id' | 'date' | 'from' | 'subject'>,
  place: object,
): string {
  const identity = message_id === null ? place : [message_id, date, from, subject];
  return createHash('sha256').update(JSON.stringify(identity)).digest('base64url').slice(0, 22);
}

const listAddresses = (given: readonly Address[] | undefined): MailAddress[] =>
  (given ?? [])
    .flatMap((each): readonly Sender[] => each.group ?? [each])
    .slice(0, maxAddresses)
    .map(({ name, address }) => ({ name: cut(name, 200), address: cut(address, 320) }));

function toTime(text: string | undefined): string | null {
  const date = new Date(text ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
