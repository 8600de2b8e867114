import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedErrorGroup = defineAudited({
  type: 'error_group',
  actions: ['resolve', 'mute', 'reopen', 'assign'],
});
