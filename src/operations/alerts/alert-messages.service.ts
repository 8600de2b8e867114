import type { Deps } from '#src/infra/deps.ts';
import { observations } from '#src/infra/observations/observations.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import {
  beginAttempt,
  deleteMessage,
  endAttempt,
  findDueRecipients,
  insertMessage,
  type LockedMessage,
  lockDueRecipient,
  lockMessage,
  type RecipientKey,
  takeDueAlerts,
} from './alert-messages.store.ts';
import { sendAlertJob } from './alerts.declarations.ts';
import { type AlertContent, emptyContent, mergeContent } from './alerts.rules.ts';
import { type AlertServices, attemptMessage, isLastAttempt } from './send-alert.service.ts';

const recipientsPerBatch = 200;

/**
 * Makes the messages that are due, each with the job that sends it, and returns whether there may be more. A recipient is skipped while a
 * message to it waits, or when it has had as many as it may within the hour: its alerts stay, and are in the next message.
 */
export async function makeDueMessages(
  { database, jobs }: Pick<Deps, 'database' | 'jobs'>,
  at: Date = new Date(),
): Promise<boolean> {
  const due = await findDueRecipients(database.system, at, recipientsPerBatch);
  let made = 0;
  for (const recipient of due) {
    await database.withTenantSql(recipient.tenantId, async (tx) => {
      if (!(await lockDueRecipient(tx, at, recipient))) return;
      const content = await takeInto(tx, recipient, emptyContent, { at, madeAt: at });
      if (!content) return;
      const messageId = await insertMessage(tx, recipient, { content, isTest: false, at });
      await jobs.send(sendAlertJob, { tenantId: recipient.tenantId, messageId }, { tx });
      made += 1;
    });
  }
  return due.length === recipientsPerBatch && made > 0;
}

/**
 * Moves the due alerts of a recipient into the content of a message made at `madeAt`; undefined if all of them are settled or there are
 * none.
 */
async function takeInto(
  tx: Tx,
  recipient: RecipientKey,
  content: AlertContent,
  { at, madeAt }: { at: Date; madeAt: Date },
): Promise<AlertContent | undefined> {
  const open = (await takeDueAlerts(tx, at, recipient)).filter(({ isSettled }) => !isSettled);
  if (open.length === 0) return undefined;
  // A recipient has one message at a time, so alerts that were taken after this message was made are already in it.
  const earlier = open.filter(({ takenAt }) => takenAt !== null && takenAt >= madeAt).map(({ key }) => key);
  const items = open.map(({ isSettled: _settled, takenAt: _taken, firstAt, lastAt, ...item }) => ({
    ...item,
    firstAt: firstAt.toISOString(),
    lastAt: lastAt.toISOString(),
  }));
  return mergeContent(content, items, new Set(earlier));
}

/**
 * Sends a message, and throws if that failed, so that its job is retried. Each attempt is recorded before and after it. An attempt without
 * a recorded end may have sent the message: it is sent again unchanged, with the same id. After a failed attempt, what has happened since is
 * merged into the message.
 */
export async function sendMessage(
  services: AlertServices,
  { tenantId, messageId }: { tenantId: string; messageId: number },
  now: () => Date = () => new Date(),
): Promise<void> {
  const { database } = services.deps;
  const message = await database.withTenantSql(tenantId, (tx) => openAttempt(tx, tenantId, messageId, now()));
  if (!message) return;
  const { isSent, error } = await attemptMessage(services, message, now()).catch(async (thrown: unknown) => {
    await closeAttempt(database, message, internalFault, now());
    throw thrown;
  });
  await closeAttempt(database, message, { isSent, error }, now());
  if (!isSent) throw new Error(`An alert was not sent. ${error}`);
}

const internalFault = { isSent: false, error: 'It could not be sent; the log of the server tells why.' };

/** Begins an attempt; undefined if there is nothing to send any more. */
async function openAttempt(tx: Tx, tenantId: string, messageId: number, at: Date): Promise<LockedMessage | undefined> {
  const message = await lockMessage(tx, tenantId, messageId);
  if (!message || message.status === 'sent') return undefined;
  if (!message.active) {
    await deleteMessage(tx, tenantId, messageId);
    return undefined;
  }
  const hasFailed = message.status === 'pending' && message.attempts > 0;
  const changed = hasFailed
    ? await takeInto(tx, message, message.content, { at, madeAt: message.createdAt })
    : undefined;
  const eventId = await beginAttempt(tx, message, changed);
  return { ...message, attempts: message.attempts + 1, eventId, content: changed ?? message.content };
}

async function closeAttempt(
  database: Deps['database'],
  message: LockedMessage,
  { isSent, error }: { isSent: boolean; error: string | null },
  at: Date,
): Promise<void> {
  const status = isSent ? 'sent' : isLastAttempt(message.attempts) ? 'failed' : 'pending';
  await database.withTenantSql(message.tenantId, (tx) => endAttempt(tx, message, { status, error, at }));
  observations.alertAttempted.tell({ channel: message.url === null ? 'mail' : 'webhook', outcome: outcomes[status] });
}

const outcomes = { sent: 'sent', pending: 'failed', failed: 'given_up' } as const;
