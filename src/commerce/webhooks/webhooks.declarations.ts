import { z } from 'zod';
import { defineJob } from '#src/infra/jobs.ts';
import { defineScopes } from '#src/infra/key-scopes.ts';
import type { SealedColumn } from '#src/infra/vault/rotation.ts';
import { defineAudited } from '#src/journal/audit/audited.ts';
import { defineTopic } from '#src/journal/outbox/topic.ts';
import { disabledReasons } from './destinations.inputs.ts';

export const auditedDestination = defineAudited({
  type: 'webhook_destination',
  node: 'WebhookDestination',
  actions: ['create', 'update', 'delete', 'rotate', 'enable', 'disable', 'ping', 'recover'],
});

export const auditedDelivery = defineAudited({
  type: 'webhook_delivery',
  node: 'WebhookDelivery',
  actions: ['resend'],
});

const destination = { id: z.int(), name: z.string(), url: z.string() };

export const destinationFailing = defineTopic({
  name: 'webhook_destination.failing',
  when: 'when a webhook destination has had no success for 24 hours; after 5 days it is disabled',
  data: z.object({ ...destination, failing_since: z.iso.datetime() }),
});

export const destinationDisabled = defineTopic({
  name: 'webhook_destination.disabled',
  when: 'when a webhook destination is disabled, by hand or because it answers 410 or keeps failing',
  data: z.object({ ...destination, reason: z.enum(disabledReasons) }),
});

declare module '#src/infra/key-scopes.ts' {
  interface KeyScopes {
    'webhooks:read': true;
    'webhooks:write': true;
  }
}

export const webhookScopes = defineScopes({
  'webhooks:read': 'Read webhook destinations, deliveries and inbound endpoints.',
  'webhooks:write': 'Make, change and delete webhook destinations and inbound endpoints, and send deliveries again.',
});

export const sealedDestination: SealedColumn = {
  purpose: 'secrets',
  table: 'webhook_destinations',
  column: 'sealed',
  versionColumn: 'key_version',
  row: 't.id::text',
};

/** Gives up the pending deliveries of a deleted destination, in case the process that deleted it ended before it was done. */
export const giveUpDeletedJob = defineJob({
  name: 'commerce.webhook.give-up',
  schema: z.object({
    tenantId: z.string(),
    destinationId: z.int().positive(),
    /** The id up to which its queue had been processed. */
    sentTo: z.int().nonnegative(),
  }),
  retry: { limit: 5, delay: 1, delayMax: 60 },
  expireInSeconds: 600,
});
