import type { Face } from '#rest/face.ts';
import { platformFace } from './platform.ts';

/** Where other systems post their events: each endpoint says how its sender proves itself, and there are no other credentials. */
export const inboundFace: Face = {
  name: 'inbound',
  mounts: [{ prefix: '/in' }],
  credentials: null,
  tenantHeader: null,
  errors: platformFace.errors,
  paging: platformFace.paging,
  budgetOf: () => null,
  openApi: null,
  // The domains add theirs.
  routes: [],
};
