import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedOutboxFailure = defineAudited({ type: 'outbox_failure', actions: ['update', 'delete'] });
