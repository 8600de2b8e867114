import type { Deps } from '#src/infra/deps.ts';
import { EgressError } from '#src/infra/egress/errors.ts';
import { type Mailer, MailError } from '#src/infra/mail/mailer.ts';
import type { Services } from '#src/infra/services.ts';
import { webhookHeaders } from '#src/infra/signing/webhook-headers.ts';
import type { LockedMessage } from './alert-messages.store.ts';
import { openSecret } from './alert-secrets.service.ts';
import { alertTopic, type AlertText, writeEvent, writeMail } from './alert-texts.rules.ts';
import { sendAlertJob } from './alerts.declarations.ts';

declare module '#src/infra/services.ts' {
  interface Services {
    alerts: {
      /** Null where the operator has set no mail server. */
      mailer: Mailer | null;
    };
  }
}

export type AlertServices = Pick<Services, 'deps' | 'alerts'>;

/** Said where mail cannot be sent at all. */
export const noMailServer =
  'This installation has no mail server. Ask its operator to set SMTP_URL and SMTP_FROM, or use a webhook.';

const timeoutMs = 15_000;
const keptBytes = 500;

/** The outcome of an attempt: an error if nobody got the message, or a remark on a part of them. */
export interface AttemptOutcome {
  isSent: boolean;
  error: string | null;
}

/** Sends a message once, as mail or to the recipient's URL. Every failure that its receiver causes is an outcome. */
export async function attemptMessage(
  services: AlertServices,
  message: Omit<LockedMessage, 'status' | 'attempts'>,
  at: Date,
): Promise<AttemptOutcome> {
  const { deps } = services;
  const text: AlertText = {
    tenant: { id: message.tenantId, name: message.tenantName },
    content: message.content,
    isTest: message.isTest,
    publicUrl: deps.publicUrl,
  };
  const outcome =
    message.url === null ? await mail(services, message, text) : await call(deps, message, message.url, text, at);
  return { ...outcome, error: outcome.error === null ? null : deps.redactor.text(outcome.error) };
}

type Addressed = Pick<LockedMessage, 'addresses' | 'eventId'>;

async function mail(
  { alerts: { mailer } }: AlertServices,
  { addresses, eventId }: Addressed,
  text: AlertText,
): Promise<AttemptOutcome> {
  if (!mailer) return { isSent: false, error: noMailServer };
  try {
    const refused = await mailer.send({ id: eventId, to: addresses, ...writeMail(text) });
    return {
      isSent: true,
      error: refused.length === 0 ? null : `The mail server refused these addresses: ${refused.join(', ')}.`,
    };
  } catch (error) {
    if (error instanceof MailError) return { isSent: false, error: error.message };
    throw error;
  }
}

async function call(
  deps: Deps,
  message: Omit<LockedMessage, 'status' | 'attempts'>,
  url: string,
  text: AlertText,
  at: Date,
): Promise<AttemptOutcome> {
  const { tenantId, recipientId, eventId } = message;
  const secret = openSecret(deps, { tenantId, id: recipientId }, message);
  const body = Buffer.from(JSON.stringify(writeEvent(text, { eventId, at })), 'utf8');
  const headers = webhookHeaders(
    { eventId, topic: alertTopic, body, atMs: at.getTime() },
    secret === undefined ? [] : [secret],
  );
  try {
    const request = { method: 'POST', url, headers, body, timeoutMs, excerptBytes: keptBytes, secure: true };
    const { status } = await deps.egress.request(request);
    if (status >= 200 && status < 300) return { isSent: true, error: null };
    return { isSent: false, error: `The URL answered ${status}.` };
  } catch (error) {
    if (error instanceof EgressError) return { isSent: false, error: error.message };
    throw error;
  }
}

/** True if no further attempt follows this one. */
export const isLastAttempt = (attempts: number): boolean => attempts > sendAlertJob.retry.limit;
