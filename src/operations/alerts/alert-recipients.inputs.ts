import { z } from 'zod';
import { graphTypes } from '#src/infra/graph-types.ts';
import { messageSecretFault } from '#src/infra/signing/webhook-signatures.ts';

/** The kinds of problems that a recipient can be notified about. */
export const alertKinds = [
  'failed_runs',
  'dead_letters',
  'disabled_destinations',
  'expiring_credentials',
  'failing_polls',
] as const;
export type AlertKind = (typeof alertKinds)[number];

export const alertMessageStatuses = ['pending', 'sending', 'sent', 'failed'] as const;

export const recipientsPerTenant = 50;
/** Tests of one recipient within an hour: each sends a mail to addresses that nobody has confirmed. */
export const testsPerHour = 10;
/**
 * Tests of all recipients of a tenant within an hour, and recipients that are added within one: who deletes a recipient and adds it again
 * would otherwise have any number of mails sent.
 */
export const hourlyOfTenant = 100;

const kind = z.enum(alertKinds).register(graphTypes, { type: 'AlertKind' });

// Zod's pattern allows no comments, quotes or groups, so the text is exactly one address in every header.
const address = z.string().trim().max(254).regex(z.regexes.email, 'Write a mail address such as ops@example.com.');

const name = z.string().trim().min(1).max(191);
const kinds = z
  .array(kind)
  .min(1, 'Name at least one kind.')
  .max(alertKinds.length)
  .refine((given) => new Set(given).size === given.length, 'Name each kind once.');
const addresses = z
  .array(address)
  .min(1, 'Give at least one address.')
  .max(20)
  .refine(
    (given) => new Set(given.map((each) => each.toLowerCase())).size === given.length,
    'Name each address once; capitals make no difference.',
  );
const url = z
  .string()
  .max(2_048)
  // A URL parser drops them, so the URL that is called would differ from the one that is shown.
  .regex(/^[^\s\p{Cc}]+$/u, 'Write the URL without spaces and line breaks.');
const secret = z
  .string()
  .min(16, 'Use at least 16 characters.')
  .max(1_024)
  .superRefine((text, context) => {
    const message = messageSecretFault(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });

const descriptions = {
  name: 'Of the people or the system that are told, 1 to 191 characters.',
  kinds: 'The kinds of problems that it is notified about.',
  addresses: 'Mail addresses, at most 20.',
  url: 'Called instead of mail: https, or http to a host that the operator allows.',
  secret: 'Signs calls of the URL as those of webhook destinations; 16 to 1,024 characters. It is stored encrypted.',
  expiringDays: 'How many days before a credential expires the recipient is notified, 1 to 90.',
  groupMinutes: 'A group of failures is in one message at most within this many minutes, 1 to 1,440.',
  hourlyLimit: 'The most messages within any hour, 1 to 60; what is held back is in the next one.',
  active: 'Whether it is told.',
};

export const createAlertRecipientInput = z.object({
  name: name.describe(descriptions.name),
  kinds: kinds.describe(descriptions.kinds),
  addresses: addresses.nullish().describe(`${descriptions.addresses} Give these or a URL.`),
  url: url.nullish().describe(descriptions.url),
  secret: secret.nullish().describe(`${descriptions.secret} Left out: calls are unsigned.`),
  expiringDays: z.int().min(1).max(90).nullish().describe(`${descriptions.expiringDays} Left out: 14.`),
  groupMinutes: z.int().min(1).max(1_440).nullish().describe(`${descriptions.groupMinutes} Left out: 60.`),
  hourlyLimit: z.int().min(1).max(60).nullish().describe(`${descriptions.hourlyLimit} Left out: 10.`),
  active: z.boolean().nullish().describe(`${descriptions.active} Left out: true.`),
});

export const updateAlertRecipientInput = z.object({
  name: name.nullish().describe(`${descriptions.name} Null leaves it as it is.`),
  kinds: kinds.nullish().describe(`${descriptions.kinds} Null leaves them as they are.`),
  addresses: addresses
    .nullish()
    .describe(`${descriptions.addresses} They take the place of the URL. Null leaves them as they are.`),
  url: url.nullish().describe(`${descriptions.url} It takes the place of the mail addresses. Null leaves it as it is.`),
  secret: secret.nullish().describe(`${descriptions.secret} Null removes it; left out, it stays.`),
  expiringDays: z.int().min(1).max(90).nullish().describe(`${descriptions.expiringDays} Null leaves it as it is.`),
  groupMinutes: z
    .int()
    .min(1)
    .max(1_440)
    .nullish()
    .describe(`${descriptions.groupMinutes} Null leaves it as it is; a change counts from the next message on.`),
  hourlyLimit: z.int().min(1).max(60).nullish().describe(`${descriptions.hourlyLimit} Null leaves it as it is.`),
  active: z
    .boolean()
    .nullish()
    .describe(`${descriptions.active} False also drops what waits to be sent. Null leaves it as it is.`),
});
