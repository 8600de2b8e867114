import { auditedExtension, extensionTopics } from '#src/themes/extensions/extensions.declarations.ts';
import { auditedInstallation, installationTopics } from '#src/themes/installations/installations.declarations.ts';
import { themeExtensionsV1Schema } from '#src/themes/manifest/theme-extensions.v1.schema.ts';
import { themeScopes, auditedTheme, auditedThemeInstallation } from '#src/themes/themes/themes.declarations.ts';
import type { DomainManifest } from './domain-manifest.ts';

/** Theme extensions: registry, installations, blocks and assets. */
export const themes: DomainManifest = {
  name: 'themes',
  declarations: {
    topics: [...extensionTopics, ...installationTopics],
    audited: [auditedTheme, auditedThemeInstallation, auditedExtension, auditedInstallation],
    scopes: themeScopes,
    schemas: [{ name: 'theme-extensions', version: 'v1', schema: themeExtensionsV1Schema }],
  },
  services: async () => (await import('#src/themes/themes.ts')).themesServices,
  graphql: () =>
    Promise.all([
      import('#src/themes/blocks/blocks.graphql.ts'),
      import('#src/themes/extensions/extensions.graphql.ts'),
      import('#src/themes/installations/installations.graphql.ts'),
      import('#src/themes/islands/islands.graphql.ts'),
      import('#src/themes/previews/previews.graphql.ts'),
      import('#src/themes/reviews/reviews.graphql.ts'),
      import('#src/themes/themes/themes.graphql.ts'),
    ]),
  routes: async () => ({
    theme: [
      ...(await import('#rest/themes/blocks.routes.ts')).blockRoutes,
      ...(await import('#rest/themes/islands.bytes.ts')).islandRoutes,
    ],
    'extension-assets': (await import('#rest/themes/assets.bytes.ts')).assetRoutes,
  }),
};
