import type { Face } from '#rest/face.ts';
import { platformFace } from './platform.ts';

/** Files that pages load: a theme passes these URLs on from its own origin, so they are the same for everyone. */
export const extensionAssetsFace: Face = {
  name: 'extension-assets',
  mounts: [{ prefix: '/_ext' }],
  credentials: null,
  tenantHeader: null,
  // What is not there now may be a moment from now, once the version is installed.
  errors: { ...platformFace.errors, headers: { 'cache-control': 'no-store' } },
  paging: platformFace.paging,
  budgetOf: () => null,
  openApi: null,
  // The domains add theirs.
  routes: [],
};
