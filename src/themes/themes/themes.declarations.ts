import { defineScopes } from '#src/infra/key-scopes.ts';
import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedTheme = defineAudited({ type: 'theme', actions: ['register'] });
export const auditedThemeInstallation = defineAudited({
  type: 'theme_installation',
  node: 'ThemeInstallation',
  actions: ['install', 'uninstall'],
});

declare module '#src/infra/key-scopes.ts' {
  interface KeyScopes {
    'theme:read': true;
  }
}

export const themeScopes = defineScopes({
  'theme:read': 'Read installed themes, extensions and blocks, and have blocks rendered: for theme servers.',
});
