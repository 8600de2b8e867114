import { automationParts } from './automation/automation.parts.ts';
import type { Domain } from './domain.ts';
import { gatherParts } from './gather-parts.ts';
import { journalParts } from './journal/journal.parts.ts';
import { operationsParts } from './operations/operations.parts.ts';

/** Every domain. To add one, add it here. */
export const domains: readonly Domain[] = [
  {
    name: 'identity',
    graphql: () => import('./identity/identity.graphql.ts'),
    routes: async () => ({ service: (await import('#rest/identity/identity.routes.ts')).identityRoutes }),
  },
  {
    name: 'journal',
    parts: journalParts,
    graphql: () => import('./journal/journal.graphql.ts'),
    routes: async () => ({ service: (await import('#rest/journal/journal.routes.ts')).journalRoutes }),
    chores: async () => (await import('./journal/journal.chores.ts')).journalChores,
  },
  {
    name: 'automation',
    parts: automationParts,
    services: async () => (await import('./automation/automation.ts')).automationServices,
    handlers: async () => (await import('#workers/automation/automation.handlers.ts')).automationHandlers,
    graphql: () => import('./automation/automation.graphql.ts'),
    routes: async () => ({ service: (await import('#rest/automation/automation.routes.ts')).automationRoutes }),
    chores: async () => (await import('./automation/automation.chores.ts')).automationChores,
  },
  { name: 'operations', parts: operationsParts, graphql: () => import('./operations/operations.graphql.ts') },
];

export const parts = gatherParts(domains);
