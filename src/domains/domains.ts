import { automationParts } from '#src/automation/automation.parts.ts';
import { commerceParts } from '#src/commerce/commerce.parts.ts';
import { identityParts } from '#src/identity/identity.parts.ts';
import { importsParts } from '#src/imports/imports.parts.ts';
import { journalParts } from '#src/journal/journal.parts.ts';
import { operationsParts } from '#src/operations/operations.parts.ts';
import { themesParts } from '#src/themes/themes.parts.ts';
import type { Domain } from './parts/domain.ts';
import { gatherParts } from './parts/gather-parts.ts';

/** Every domain. To add one, add it here. */
export const domains: readonly Domain[] = [
  {
    name: 'identity',
    parts: identityParts,
    graphql: () => import('#src/identity/identity.graphql.ts'),
    routes: async () => ({ service: (await import('#rest/identity/identity.routes.ts')).identityRoutes }),
  },
  {
    name: 'journal',
    parts: journalParts,
    graphql: () => import('#src/journal/journal.graphql.ts'),
    routes: async () => ({ service: (await import('#rest/journal/journal.routes.ts')).journalRoutes }),
    chores: async () => (await import('#src/journal/journal.chores.ts')).journalChores,
  },
  {
    name: 'automation',
    parts: automationParts,
    services: async () => (await import('#src/automation/automation.ts')).automationServices,
    handlers: async () => (await import('#workers/automation/automation.handlers.ts')).automationHandlers,
    graphql: () => import('#src/automation/automation.graphql.ts'),
    routes: async () => ({ service: (await import('#rest/automation/automation.routes.ts')).automationRoutes }),
    chores: async () => (await import('#src/automation/automation.chores.ts')).automationChores,
  },
  {
    name: 'imports',
    parts: importsParts,
    services: async () => (await import('#src/imports/imports.ts')).importsServices,
    handlers: async () => (await import('#workers/imports/imports.handlers.ts')).importsHandlers,
    graphql: () => import('#src/imports/imports.graphql.ts'),
    routes: async () => ({ platform: (await import('#rest/imports/imports.routes.ts')).importsRoutes }),
    chores: async () => (await import('#src/imports/imports.chores.ts')).importsChores,
    loops: async () => (await import('#workers/imports/imports.loops.ts')).importsLoops,
  },
  {
    name: 'commerce',
    parts: commerceParts,
    services: async () => (await import('#src/commerce/commerce.ts')).commerceServices,
    handlers: async () => (await import('#workers/commerce/commerce.handlers.ts')).commerceHandlers,
    graphql: () => import('#src/commerce/commerce.graphql.ts'),
    tenantSchemas: async () => (await import('#src/commerce/attributes/attributes.service.ts')).attributeSchemas,
    routes: async () => ({
      platform: (await import('#rest/commerce/commerce.routes.ts')).commerceRoutes,
      inbound: (await import('#rest/commerce/inbound.bytes.ts')).inboundCallRoutes,
    }),
    chores: async () => (await import('#src/commerce/commerce.chores.ts')).commerceChores,
    loops: async () => (await import('#workers/commerce/commerce.loops.ts')).commerceLoops,
  },
  {
    name: 'themes',
    parts: themesParts,
    services: async () => (await import('#src/themes/themes.ts')).themesServices,
    graphql: () => import('#src/themes/themes.graphql.ts'),
    routes: async () => ({
      theme: (await import('#rest/themes/themes.routes.ts')).themesRoutes,
      'extension-assets': (await import('#rest/themes/assets.bytes.ts')).assetRoutes,
    }),
  },
  { name: 'operations', parts: operationsParts, graphql: () => import('#src/operations/operations.graphql.ts') },
];

export const parts = gatherParts(domains);
