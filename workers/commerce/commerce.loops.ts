import type { Loop } from '#src/infra/loops.ts';
import { webhookSender } from './webhooks/webhook-sender.ts';

/** The loops of commerce, which every worker runs. */
export const commerceLoops: readonly Loop[] = [webhookSender];
