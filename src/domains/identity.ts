import { auditedApiKey } from '#src/identity/api-keys/api-keys.declarations.ts';
import { auditedTenant } from '#src/identity/tenants.declarations.ts';
import type { DomainManifest } from './domain-manifest.ts';

/** Organisations, tenants, tokens and API keys. */
export const identity: DomainManifest = {
  name: 'identity',
  declarations: { audited: [auditedApiKey, auditedTenant] },
  graphql: () =>
    Promise.all([
      import('#src/identity/api-keys/api-keys.graphql.ts'),
      import('#src/identity/me.graphql.ts'),
      import('#src/identity/people.graphql.ts'),
      import('#src/identity/tenants.graphql.ts'),
    ]),
  routes: async () => ({
    service: [
      ...(await import('#rest/identity/me.routes.ts')).meRoutes,
      ...(await import('#rest/identity/orgs.routes.ts')).orgRoutes,
    ],
  }),
};
