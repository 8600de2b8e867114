import { defineAudited } from '#src/journal/audit/audited.ts';

/** Ids were moved ahead after a failover or a restore. The function enter_timeline writes the entry, in the log without a tenant. */
export const auditedDatabase = defineAudited({ type: 'database', actions: ['move_ids'] });
