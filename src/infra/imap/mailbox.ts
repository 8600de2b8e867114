import { Readable } from 'node:stream';
import type { FetchMessageObject, ImapFlow } from 'imapflow';
import type { Egress } from '#src/infra/egress/egress.ts';
import { connectImap, type ImapLogin } from './connect-imap.ts';
import { ImapError } from './imap-error.ts';
import { type MailParts, sortParts } from './mail-parts.ts';

/** A mail without its body. */
export interface MailHead {
  uid: number;
  /** Bytes. */
  size: number;
  isSeen: boolean;
  receivedAt: Date | undefined;
  /** The first bytes of its header. */
  header: Buffer;
}

/** An open mailbox. Each operation fails with ImapError or EgressError. */
export interface Mailbox {
  /** UIDs mean the same mails only as long as this number stays the same. */
  uidValidity: number;
  /** The heads of mails with UIDs greater than `after`, in the order of their UIDs. */
  list(from: { after: number; since: Date | undefined; limit: number }): Promise<MailPage>;
  head(uid: number): Promise<MailHead | undefined>;
  parts(uid: number): Promise<MailParts | undefined>;
  /** A part of a mail, decoded. With `asText` it is also converted to UTF-8. */
  content(uid: number, part: { part: string; asText: boolean }): Readable;
  mark(uid: number, isSeen: boolean): Promise<void>;
  /** Moves a mail to another mailbox. Returns its place there, if the server tells it. */
  move(uid: number, to: string): Promise<{ uid: number; uidValidity: number } | undefined>;
}

export interface MailPage {
  heads: MailHead[];
  /** The UID to continue after. */
  last: number;
  complete: boolean;
}

/** Bytes of a header that are read, which is about as many as mail servers accept. */
const headBytes = 64 * 1024;
/** Bytes of a part that are requested at a time. */
const chunkSize = 256 * 1024;
/** UIDs that are searched at a time, at first. A large mailbox would otherwise name all its mails for each page. */
const firstWindow = 10_000;
const lastUid = 2 ** 32 - 1;

/** Connects, opens a mailbox, runs `work` and disconnects. Throws ImapError and EgressError. */
export async function withMailbox<T>(
  egress: Pick<Egress, 'openSocket'>,
  login: ImapLogin,
  {
    mailbox,
    readOnly,
    signal,
    work,
  }: {
    mailbox: string;
    readOnly: boolean;
    signal: AbortSignal;
    work: (mailbox: Mailbox) => Promise<T>;
  },
): Promise<T> {
  const { client, explain } = await connectImap(egress, login, signal);
  const ask = <A>(answer: Promise<A>): Promise<A> =>
    answer.catch((error: unknown) => {
      throw explain(error, mailbox);
    });
  const askAll = async function* (answer: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* answer;
    } catch (error) {
      throw explain(error, mailbox);
    }
  };
  try {
    const { uidValidity, uidNext } = await ask(client.mailboxOpen(mailbox, { readOnly }));
    // Positions would mean nothing.
    if (!uidValidity) throw new ImapError('protocol', `${login.host} gives its mails no lasting numbers.`);
    return await work({
      uidValidity: Number(uidValidity),
      list: (from) => ask(listHeads(client, uidNext || undefined, from)),
      head: (uid) => ask(readHead(client, uid)),
      parts: (uid) => ask(readParts(client, uid)),
      content: (uid, part) => Readable.from(askAll(readPart(client, uid, part)), { objectMode: false }),
      mark: (uid, isSeen) => ask(markMail(client, uid, isSeen)),
      move: (uid, to) => ask(moveMail(client, uid, to)),
    });
  } finally {
    client.close();
  }
}

async function listHeads(
  client: ImapFlow,
  uidNext: number | undefined,
  { after, since, limit }: { after: number; since: Date | undefined; limit: number },
): Promise<MailPage> {
  const end = uidNext ?? lastUid + 1;
  // Each search covers twice as many UIDs, so that a mailbox with large gaps takes few of them.
  for (let from = after + 1, width = firstWindow; from < end; from += width, width *= 2) {
    const to = Math.min(from + width, end) - 1;
    const found = await searchUids(client, { uid: `${from}:${to}`, ...(since && { since }) });
    const uids = found.filter((uid) => uid >= from && uid <= to).toSorted((a, b) => a - b);
    if (uids.length === 0) continue;
    const page = uids.slice(0, limit);
    return {
      heads: await readHeads(client, page),
      last: page.at(-1) as number,
      complete: page.length === uids.length && to >= end - 1,
    };
  }
  return { heads: [], last: uidNext === undefined ? after : Math.max(after, uidNext - 1), complete: true };
}

/** Mails that were deleted meanwhile are left out. A server may answer in several parts, and add changes of other mails. */
async function readHeads(client: ImapFlow, uids: readonly number[]): Promise<MailHead[]> {
  const answers = new Map(uids.map((uid): [number, Partial<FetchMessageObject>] => [uid, {}]));
  let rows = 0;
  for await (const row of client.fetch(uids.join(','), headQuery, byUid)) {
    rows += 1;
    if (rows > maxRows) throw new ImapError('protocol', 'The server answers more than it was asked for.');
    const answer = answers.get(row.uid);
    if (answer) Object.assign(answer, row);
  }
  const missing = uids.filter((uid) => !isWhole(answers.get(uid) ?? {}));
  // imapflow skips an answer that it cannot read. Such a mail must not be taken for one that was deleted.
  const isSkipped = missing.length > 0 && (await searchUids(client, { uid: missing.join(',') })).length > 0;
  if (isSkipped) throw new ImapError('protocol', `${client.host} has a mail that it does not send.`);
  return [...answers.values()].flatMap((answer) => (isWhole(answer) ? [toHead(answer)] : []));
}

async function searchUids(client: ImapFlow, query: { uid: string; since?: Date }): Promise<number[]> {
  const found = await client.search(query, byUid);
  if (!found) throw refused(client, 'to search the mailbox');
  return found;
}

async function readHead(client: ImapFlow, uid: number): Promise<MailHead | undefined> {
  const [head] = await readHeads(client, [uid]);
  return head;
}

async function readParts(client: ImapFlow, uid: number): Promise<MailParts | undefined> {
  const found = await client.fetchOne(String(uid), { bodyStructure: true }, byUid);
  return found === false ? undefined : sortParts(found.bodyStructure);
}

/** Streams a part, decoded. Text parts become UTF-8 if `asText`. */
async function* readPart(
  client: ImapFlow,
  uid: number,
  { part, asText }: { part: string; asText: boolean },
): AsyncGenerator<Buffer> {
  const { content } = await client.download(String(uid), part, { ...byUid, decodeText: asText, chunkSize });
  // Nothing is sent for a mail that was deleted meanwhile.
  if (!content) throw new ImapError('not_found', 'The mail was deleted while it was read.');
  yield* content;
}

async function markMail(client: ImapFlow, uid: number, isSeen: boolean): Promise<void> {
  const flags = ['\\Seen'];
  const isDone = isSeen
    ? await client.messageFlagsAdd(String(uid), flags, byUid)
    : await client.messageFlagsRemove(String(uid), flags, byUid);
  if (!isDone) throw refused(client, 'to mark the mail');
}

async function moveMail(client: ImapFlow, uid: number, to: string): ReturnType<Mailbox['move']> {
  const moved = await client.messageMove(String(uid), to, byUid);
  if (!moved) throw refused(client, `to move the mail to ${to}. Check that there is such a mailbox`);
  const newUid = moved.uidMap?.get(uid);
  return newUid === undefined ? undefined : { uid: newUid, uidValidity: Number(moved.uidValidity) };
}

/** imapflow answers false after a refusal, and also if the connection has ended. */
const refused = ({ usable, host }: ImapFlow, what: string): ImapError =>
  usable
    ? new ImapError('protocol', `${host} refused ${what}.`)
    : new ImapError('disconnected', `${host} closed the connection.`);

const byUid = { uid: true } as const;

/** Rows of one answer, with changes of other mails. */
const maxRows = 10_000;

const isWhole = (answer: Partial<FetchMessageObject>): answer is FetchMessageObject => answer.headers !== undefined;

const headQuery = {
  uid: true,
  flags: true,
  internalDate: true,
  size: true,
  bodyParts: [{ key: 'HEADER', maxLength: headBytes }],
};

const toHead = ({ uid, size = 0, flags, internalDate, headers }: FetchMessageObject): MailHead => ({
  uid,
  size,
  isSeen: flags?.has('\\Seen') ?? false,
  receivedAt: internalDate instanceof Date && !Number.isNaN(internalDate.getTime()) ? internalDate : undefined,
  header: (headers ?? Buffer.alloc(0)).subarray(0, headBytes),
});
