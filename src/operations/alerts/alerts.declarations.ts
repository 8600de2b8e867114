import { z } from 'zod';
import { defineJob } from '#src/infra/jobs.ts';
import type { SealedColumn } from '#src/infra/vault/rotation.ts';
import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedAlertRecipient = defineAudited({
  type: 'alert_recipient',
  node: 'AlertRecipient',
  actions: ['create', 'update', 'delete', 'test'],
});

export const sealedAlertRecipient: SealedColumn = {
  purpose: 'secrets',
  table: 'alert_recipients',
  column: 'sealed',
  versionColumn: 'key_version',
  row: 't.id::text',
};

/** Sends one message. The retries go on for two days, a quarter of an hour apart, so that a server may be down for a day. */
export const sendAlertJob = defineJob({
  name: 'operations.alert.send',
  schema: z.object({ tenantId: z.string(), messageId: z.int().positive() }),
  retry: { limit: 200, delay: 30, delayMax: 900 },
  expireInSeconds: 300,
});
