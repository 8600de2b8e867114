import { defineAudited } from '#src/journal/audit/audited.ts';

/** A replay is audited as the start of its run. */
export const auditedDeadLetter = defineAudited({ type: 'dead_letter', node: 'DeadLetter', actions: ['discard'] });
