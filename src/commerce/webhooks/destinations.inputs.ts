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

/** In an update, null clears an optional member, and a member that is left out stays as it is. */
const settings = {
  secret: secret.nullish(),
  secretRef: secretKey.nullish(),
  headers: headers.nullish(),
  filter: z.string().min(1).max(10_000).nullish(),
  ratePerSecond: z.int().min(1).max(1_000).nullish(),
  concurrency: z.int().min(1).max(100).nullish(),
  ordered: z.boolean().nullish(),
};

export const createDestinationInput = z.object({ name, url, topics, ...settings });
export const updateDestinationInput = z.object({
  name: name.nullish(),
  url: url.nullish(),
  topics: topics.nullish(),
  ...settings,
});

export const rotateSecretInput = z.object({ secret: secret.nullish() });

export const recoverInput = z.object({
  since: z.date(),
  topics: z.array(topic).min(1).max(100).nullish(),
  dryRun: z.boolean().nullish(),
});

export const destinationStatuses = ['enabled', 'disabled'] as const;
export const disabledReasons = ['gone', 'failing', 'manual'] as const;
export type DisabledReason = (typeof disabledReasons)[number];
