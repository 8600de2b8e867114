import type { Domain } from '#src/domains/parts/domain.ts';
import { auditedExtension, extensionTopics } from './extensions/extensions.declarations.ts';
import { auditedInstallation, installationTopics } from './installations/installations.declarations.ts';
import { themeExtensionsV1Schema } from './manifest/theme-extensions.v1.schema.ts';
import { themeScopes, auditedTheme, auditedThemeInstallation } from './themes/themes.declarations.ts';

export const themesParts: Domain['parts'] = {
  topics: [...extensionTopics, ...installationTopics],
  audited: [auditedTheme, auditedThemeInstallation, auditedExtension, auditedInstallation],
  scopes: themeScopes,
  schemas: [{ name: 'theme-extensions', version: 'v1', schema: themeExtensionsV1Schema }],
};
