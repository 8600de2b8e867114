import type { RestApi } from '#rest/rest-api.ts';
import { tenantHeader } from '#src/identity/bearer.ts';
import { headerText, keyHeader, keyTenantHeader } from '#src/identity/caller.ts';
import { platformApi } from './platform.ts';
import { serviceApi } from './service.ts';

const { credentials: bearers } = serviceApi;
const { credentials: keys } = platformApi;

/** Blocks for theme servers, with a token or with an API key; these requests are not counted against a budget. */
export const themeApi: RestApi = {
  name: 'theme',
  mounts: [{ prefix: '/theme' }],
  credentials: {
    // An API key is accepted with either header for its tenant.
    open:
      ({ identities: { bearer, apiKey } }) =>
      async (headers, tenant, how) =>
        headerText(headers, keyHeader) === null
          ? bearer(headers, tenant)
          : apiKey(headers, headerText(headers, keyTenantHeader) ?? tenant, how),
    challenge: 'Bearer',
    schemes: { ...bearers?.schemes },
    otherSchemes: { ...keys?.schemes },
    describe: (scope) => `Needs a token with role \`user\`, or a key with scope \`${scope.split(' or ').at(-1)}\`.`,
  },
  tenantHeader: {
    name: tenantHeader,
    description: 'The tenant the request acts in, with a token.',
    goesWith: () => true,
  },
  errors: platformApi.errors,
  paging: platformApi.paging,
  rateBudget: () => null,
  openApi: {
    info: {
      title: 'Causeway theme API',
      version: '1.0.0',
      description: 'The blocks that extensions add to a theme, for the server that renders its pages.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    scopes: null,
  },
  // The domains add theirs.
  routes: [],
};
