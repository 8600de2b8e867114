import { accessError } from '#src/infra/errors.ts';
import type { Context } from './context.ts';

/** Who may: every field of the graph names one of these, and REST asks the same before it reads a body. */
export interface Access {
  /** Any good token. */
  authenticated: boolean;
  /** Any role, whatever the tenant: for what runs code, and is of no tenant. */
  tester: boolean;
  /** Role `user` or `admin`, in a tenant. */
  member: boolean;
  /** Role `admin`, in a tenant. */
  admin: boolean;
  /** Role `operator`, whatever the tenant. */
  operator: boolean;
}

/** One check per scope; each throws the access error that says what is missing, in the order token, tenant, role. */
export function accessOf({ viewer, tenant }: Pick<Context, 'viewer' | 'tenant'>) {
  const known = () => {
    if (!viewer) throw accessError('UNAUTHENTICATED');
    return viewer;
  };
  const has = (...roles: string[]) => {
    if (!roles.some((role) => known().roles.includes(role))) throw accessError('FORBIDDEN');
    return true;
  };
  const inTenant = (...roles: string[]) => {
    known();
    if (!tenant) throw accessError('TENANT_REQUIRED');
    return has(...roles);
  };
  return {
    authenticated: () => known() !== null,
    tester: () => has('user', 'admin', 'operator'),
    member: () => inTenant('user', 'admin'),
    admin: () => inTenant('admin'),
    operator: () => has('operator'),
  } satisfies Record<keyof Access, () => boolean>;
}
