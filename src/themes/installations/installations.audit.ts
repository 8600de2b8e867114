import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedInstallation = defineAudited({
  type: 'installation',
  actions: ['install', 'upgrade', 'disable', 'enable', 'uninstall'],
});
