import { defineAudited } from '#src/journal/audit/audited.ts';

/** A tenant that moves between installations. */
export const auditedTenant = defineAudited({ type: 'tenant', actions: ['export', 'close', 'reopen', 'import'] });
