import type { Domain } from '#src/domains/parts/domain.ts';
import { auditedExtension } from './extensions/extensions.audit.ts';
import { extensionTopics } from './extensions/extensions.topics.ts';
import { auditedInstallation } from './installations/installations.audit.ts';
import { installationTopics } from './installations/installations.topics.ts';
import { themeExtensionsV1Schema } from './manifest/theme-extensions.v1.schema.ts';
import { themeScopes } from './themes.scopes.ts';
import { auditedTheme, auditedThemeInstallation } from './themes/themes.audit.ts';

export const themesParts: Domain['parts'] = {
  topics: [...extensionTopics, ...installationTopics],
  audited: [auditedTheme, auditedThemeInstallation, auditedExtension, auditedInstallation],
  scopes: themeScopes,
  schemas: [{ name: 'theme-extensions', version: 'v1', schema: themeExtensionsV1Schema }],
};
