import type { RestApi } from '#rest/rest-api.ts';
import { platformApi } from './platform.ts';

/** URLs to which other systems post their events: each endpoint has its sender's verifier, and there are no other credentials. */
export const inboundApi: RestApi = {
  name: 'inbound',
  mounts: [{ prefix: '/in' }],
  credentials: null,
  tenantHeader: null,
  errors: platformApi.errors,
  paging: platformApi.paging,
  rateBudget: () => null,
  openApi: null,
  // The domains add theirs.
  routes: [],
};
