import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedOrder = defineAudited({
  type: 'order',
  actions: ['create', 'acknowledge', 'cancel', 'complete', 'release', 'ship', 'return', 'record_payment'],
});
