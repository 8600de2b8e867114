import { encodeGlobalID } from '@pothos/plugin-relay';
import type { AlertKind } from './alert-recipients.inputs.ts';
import { type AlertContent, type AlertItem, countIn } from './alerts.rules.ts';

/** What a message is written from. */
export interface AlertText {
  tenant: { id: string; name: string };
  content: AlertContent;
  isTest: boolean;
  /** The public URL of the installation. */
  publicUrl: string;
}

const nouns: Record<AlertKind, [one: string, many: string]> = {
  failed_runs: ['failed run', 'failed runs'],
  dead_letters: ['dead letter', 'dead letters'],
  disabled_destinations: ['disabled webhook destination', 'disabled webhook destinations'],
  expiring_credentials: ['credential that expires or has expired', 'credentials that expire or have expired'],
  failing_polls: ['failing poll', 'failing polls'],
};

const disabledBecause: Record<string, string> = {
  gone: 'It answered 410.',
  failing: 'It has had no success for five days.',
  manual: 'Somebody disabled it.',
};

const counted = (kind: AlertKind, count: number): string => `${count} ${nouns[kind][count === 1 ? 0 : 1]}`;

/**
 * Text from the tenant's data on one line, so that it starts no header, and no line of its own; without the marks that turn the direction of
 * what follows them.
 */
const inLine = (text: string, longest: number): string => {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…`.toWellFormed() : line;
};

const named = (item: AlertItem): string => (item.title === '' ? `${item.subjectId}` : inLine(item.title, 100));

/** What happened: `12 failed runs of Orders`. */
function headline(item: AlertItem): string {
  if (item.kind === 'disabled_destinations') return `Webhook destination ${named(item)} is disabled`;
  if (item.kind === 'expiring_credentials') return expiry(item);
  if (item.kind === 'failing_polls') return `Poll ${named(item)} fails`;
  return `${counted(item.kind, item.count)} of ${named(item)}`;
}

/** `message` has the stage and the day: `expiring 2026-12-24`. */
function expiry(item: AlertItem): string {
  const [stage, day] = (item.message ?? '').split(' ');
  if (stage === 'revoked') return `Credential ${named(item)} was revoked by its provider`;
  if (stage === 'expired') return `Credential ${named(item)} has expired`;
  return `Credential ${named(item)} expires on ${day ?? 'a day that is not known'}`;
}

/** Why, in one sentence; null where the headline says all. */
function reason({ kind, message }: AlertItem): string | null {
  if (message === null || message === '' || kind === 'expiring_credentials') return null;
  return kind === 'disabled_destinations' ? (disabledBecause[message] ?? null) : inLine(message, 500);
}

/** The page of the console that shows a group. */
function address({ publicUrl, tenant }: AlertText, { kind, subjectId, errorGroupId }: AlertItem): string {
  const page = (noun: string, type: string, id: string | number): string =>
    `${noun}/${encodeGlobalID(type, id).replaceAll('=', '')}`;
  const failure = (): string =>
    errorGroupId === null ? page('workflows', 'Workflow', subjectId) : page('error-groups', 'ErrorGroup', errorGroupId);
  const pages: Record<AlertKind, () => string> = {
    failed_runs: failure,
    dead_letters: failure,
    disabled_destinations: () => page('webhook-destinations', 'WebhookDestination', subjectId),
    expiring_credentials: () => page('credentials', 'Credential', subjectId),
    failing_polls: () => page('triggers', 'Trigger', subjectId),
  };
  return consolePage(publicUrl, tenant.id, pages[kind]());
}

const consolePage = (publicUrl: string, tenantId: string, path: string): string =>
  `${publicUrl.replace(/\/$/, '')}/console/t/${encodeURIComponent(tenantId)}/${path}`;

/** One line for lists and subjects, without the tenant: `12 failed runs of Orders`, or how many of each kind. */
export function summarize({ content, isTest }: Pick<AlertText, 'content' | 'isTest'>): string {
  if (isTest) return 'Test message';
  const [only, second] = content.items;
  if (only && !second && content.moreGroups === 0) return headline(only);
  const byKind = Map.groupBy(content.items, ({ kind }) => kind);
  const parts = [...byKind].map(([kind, items]) =>
    counted(
      kind,
      items.reduce((sum, { count }) => sum + count, 0),
    ),
  );
  return [...parts, ...(content.moreCount > 0 ? [`${content.moreCount} more`] : [])].join(', ');
}

const testSentence = 'This is a test. It was sent because somebody pressed “Send a test message” in Causeway.';

const when = (item: AlertItem): string => {
  const minute = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
  const [first, last] = [minute(item.firstAt), minute(item.lastAt)];
  return item.count === 1 || first === last ? first : `${first} to ${last}`;
};

const leftOut = ({ moreGroups, moreCount }: AlertContent): string | null =>
  moreGroups === 0 ? null : `And ${moreCount} more in ${moreGroups} other ${moreGroups === 1 ? 'group' : 'groups'}.`;

const settingsPage = ({ publicUrl, tenant }: AlertText): string =>
  consolePage(publicUrl, tenant.id, 'alert-recipients');

/** The subject, the text and the HTML of a mail. */
export function writeMail(given: AlertText): { subject: string; text: string; html: string } {
  const { tenant, content, isTest } = given;
  const tenantName = inLine(tenant.name, 60);
  const blocks = content.items.map((item) => ({
    headline: headline(item),
    reason: reason(item),
    when: when(item),
    address: address(given, item),
  }));
  const rest = leftOut(content);
  const footer = `Causeway sends this to the alert recipients of ${tenantName}. Change them at ${settingsPage(given)}`;
  const text = [
    ...(isTest ? [testSentence] : []),
    ...blocks.map((block) =>
      [block.headline, ...(block.reason === null ? [] : [block.reason]), block.when, block.address].join('\n'),
    ),
    ...(rest === null ? [] : [rest]),
    footer,
  ].join('\n\n');
  const html = [
    ...(isTest ? [`<p>${escape(testSentence)}</p>`] : []),
    ...blocks.map(
      (block) =>
        `<p><a href="${escape(block.address)}"><b>${escape(block.headline)}</b></a>${
          block.reason === null ? '' : `<br>${escape(block.reason)}`
        }<br>${escape(block.when)}</p>`,
    ),
    ...(rest === null ? [] : [`<p>${escape(rest)}</p>`]),
    `<p>Causeway sends this to the <a href="${escape(settingsPage(given))}">alert recipients</a> of ${escape(tenantName)}.</p>`,
  ].join('\n');
  return { subject: `[${tenantName}] ${summarize(given)}`, text, html };
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => escapes[character] as string);

/** The topic of the events that a webhook gets. They are of no outbox: they report others. */
export const alertTopic = 'alert';

/** The event that is sent to a URL, in the shape of all events. */
export function writeEvent(given: AlertText, { eventId, at }: { eventId: string; at: Date }): object {
  const { tenant, content, isTest } = given;
  return {
    id: eventId,
    topic: alertTopic,
    time: at.toISOString(),
    tenant_id: tenant.id,
    data: {
      tenant_name: tenant.name,
      test: isTest,
      summary: summarize(given),
      count: countIn(content),
      alerts: content.items.map((item) => ({
        kind: item.kind,
        subject_id: item.subjectId,
        name: item.title,
        error_group_id: item.errorGroupId,
        count: item.count,
        summary: headline(item),
        reason: reason(item),
        first_at: item.firstAt,
        last_at: item.lastAt,
        url: address(given, item),
      })),
      more_groups: content.moreGroups,
      more_count: content.moreCount,
    },
    metadata: { source: 'alert' },
  };
}
