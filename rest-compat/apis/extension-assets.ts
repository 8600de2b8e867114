import type { RestApi } from '#rest/rest-api.ts';
import { platformApi } from './platform.ts';

/** Files that pages load: a theme serves these URLs from its own origin, so they are the same for everyone. */
export const extensionAssetsApi: RestApi = {
  name: 'extension-assets',
  mounts: [{ prefix: '/_ext' }],
  credentials: null,
  tenantHeader: null,
  // A missing file may exist a moment from now, once the version is installed.
  errors: { ...platformApi.errors, headers: { 'cache-control': 'no-store' } },
  paging: platformApi.paging,
  rateBudget: () => null,
  openApi: null,
  // The domains add theirs.
  routes: [],
};
