import { z } from 'zod';
import { secretKey } from '#src/automation/secrets/secrets.inputs.ts';
import { messageSecretFault } from '#src/infra/signing/webhook-signatures.ts';

export const destinationsPerTenant = 250;

const topic = z
  .string()
  .max(191)
  .regex(
    /^(\*|[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)+)$/,
    'Write a topic in lower-case words joined by dots, such as order.created, or * for all.',
  );

/** Set by the sender, or by the connection. */
const reserved =
  /^(x-platform-.*|webhook-.*|content-.*|host|connection|expect|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*|accept-encoding)$/i;

const headerName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'Write the name of an HTTP header.');
const headerValue = z
  .string()
  .max(4_096)
  .regex(/^[\t\x20-\x7e]*$/, 'Use printable ASCII.');

/** Custom headers by name. */
const headers = z
  .record(headerName, headerValue)
  .superRefine((given, context) => {
    for (const name of Object.keys(given).filter((each) => reserved.test(each))) {
      const message = `The sender sets the header ${name} itself; leave it out.`;
      context.addIssue({ code: 'custom', path: [name], message });
    }
  })
  .refine((given) => Object.keys(given).length <= 20, 'Use at most 20 headers.')
  .refine((given) => {
    const names = Object.keys(given).map((name) => name.toLowerCase());
    return new Set(names).size === names.length;
  }, 'Write each header once; capitals make no difference.');

const secret = z
  .string()
  .min(16, 'Use at least 16 characters.')
  .max(1_024)
  .superRefine((text, context) => {
    const message = messageSecretFault(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });

const name = z.string().trim().min(1).max(191);
const url = z
  .string()
  .max(2_048)
  // A URL parser drops them, so the URL that is called would differ from the one that is shown.
  .regex(/^[^\s\p{Cc}]+$/u, 'Write the URL without spaces and line breaks.');
const topics = z.array(topic).min(1, 'Name at least one topic, or * for all.').max(100);

const descriptions = {
  name: 'Of the receiving system, 1 to 191 characters.',
  url: 'https, or http to a host that the operator allows.',
  topics: 'Such as `order.created`, at most 100; `*` is all.',
  secret: 'Signs deliveries; 16 to 1,024 characters. It is stored encrypted and never answered.',
  secretRef: 'The key of a secret of the tenant, which signs instead.',
  headers: 'Sent beside ours, by name, at most 20; stored encrypted.',
  filter: 'An expression over `event`, e.g. `event.data.channel = "web"`; what it is not true of is not sent.',
  ratePerSecond: 'The most deliveries a second, 1 to 1,000.',
  concurrency: 'The most deliveries at a time, 1 to 100; 20 unless set.',
  ordered: 'Sends events one at a time and in order; each waits until the one before has arrived.',
};

export const createDestinationInput = z.object({
  name: name.describe(descriptions.name),
  url: url.describe(descriptions.url),
  topics: topics.describe(descriptions.topics),
  secret: secret.nullish().describe(`${descriptions.secret} Without one, or a reference, deliveries are unsigned.`),
  secretRef: secretKey.nullish().describe(descriptions.secretRef),
  headers: headers.nullish().describe(descriptions.headers),
  filter: z.string().min(1).max(10_000).nullish().describe(descriptions.filter),
  ratePerSecond: z.int().min(1).max(1_000).nullish().describe(`${descriptions.ratePerSecond} Left out: no limit.`),
  concurrency: z.int().min(1).max(100).nullish().describe(descriptions.concurrency),
  ordered: z.boolean().nullish().describe(`${descriptions.ordered} Left out: false.`),
});
/** Null clears an optional member; an absent member stays unchanged. */
export const updateDestinationInput = z.object({
  name: name.nullish().describe(`${descriptions.name} Null leaves it as it is.`),
  url: url.nullish().describe(`${descriptions.url} Null leaves it as it is.`),
  topics: topics.nullish().describe(`${descriptions.topics} Null leaves them as they are.`),
  secret: secret
    .nullish()
    .describe(
      `${descriptions.secret} It takes the place of the former one at once; to have both for a while, rotate it. Null removes it.`,
    ),
  secretRef: secretKey.nullish().describe(`${descriptions.secretRef} Null removes it.`),
  headers: headers.nullish().describe(`${descriptions.headers} They replace the former ones; null removes them.`),
  filter: z.string().min(1).max(10_000).nullish().describe(`${descriptions.filter} Null removes it.`),
  ratePerSecond: z.int().min(1).max(1_000).nullish().describe(`${descriptions.ratePerSecond} Null removes the limit.`),
  concurrency: z.int().min(1).max(100).nullish().describe(`${descriptions.concurrency} Null leaves it as it is.`),
  ordered: z.boolean().nullish().describe(`${descriptions.ordered} Null leaves it as it is.`),
});

export const rotateSecretInput = z.object({
  secret: secret.nullish().describe('At least 16 characters; left out, one is made.'),
});

export const recoverInput = z.object({
  since: z.date().describe('Deliveries made at this instant or later.'),
  topics: z.array(topic).min(1).max(100).nullish().describe('Only those of these topics.'),
  dryRun: z.boolean().nullish().describe('Only counts them.'),
});

export const destinationStatuses = ['enabled', 'disabled'] as const;
export const disabledReasons = ['gone', 'failing', 'manual'] as const;
export type DisabledReason = (typeof disabledReasons)[number];
