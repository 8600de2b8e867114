import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedDestination = defineAudited({
  type: 'webhook_destination',
  actions: ['create', 'update', 'delete', 'rotate', 'enable', 'disable', 'ping', 'recover'],
});

export const auditedDelivery = defineAudited({ type: 'webhook_delivery', actions: ['resend'] });
