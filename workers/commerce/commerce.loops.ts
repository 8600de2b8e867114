import type { Loop } from '#src/infra/loops.ts';
import { webhookSender } from './webhooks/webhook-sender.ts';

/** What commerce does for as long as a worker lives. */
export const commerceLoops: readonly Loop[] = [webhookSender];
