import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedTheme = defineAudited({ type: 'theme', actions: ['register'] });
export const auditedThemeInstallation = defineAudited({
  type: 'theme_installation',
  actions: ['install', 'uninstall'],
});
