import { accessError } from '#src/infra/errors.ts';
import type { KeyScopes } from '#src/infra/key-scopes.ts';
import type { Caller } from './context.ts';

/** Who may, by a token's roles: every field of the graph names one of these, and REST asks the same. */
export interface Access {
  /** Any good token or API key: what a key may reach at all. */
  identified: boolean;
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

/** What a field may ask for. Where it names several, one is enough: `{ member: true, scope: 'orders:read' }`. */
export interface FieldAccess extends Access {
  /** An API key that was made for this, in a tenant. */
  scope: keyof KeyScopes;
}

/**
 * One check per kind of access. A request without a viewer, or without the tenant that is needed, is refused by the error
 * that says so; one that lacks the role is answered false, as another kind may still admit it.
 */
export function accessOf({ viewer, tenant }: Caller) {
  const known = () => {
    if (!viewer) throw accessError('UNAUTHENTICATED');
    return viewer;
  };
  const has = (...roles: string[]) => roles.some((role) => known().roles.includes(role));
  const inTenant = () => {
    known();
    if (!tenant) throw accessError('TENANT_REQUIRED');
    return true;
  };
  return {
    identified: () => known() !== null,
    // A key has no user, and reaches only what names one of its scopes.
    authenticated: () => known().userId !== null,
    tester: () => has('user', 'admin', 'operator'),
    member: () => inTenant() && has('user', 'admin'),
    admin: () => inTenant() && has('admin'),
    operator: () => has('operator'),
    scope: (name) => inTenant() && known().scopes.includes(name),
  } satisfies { [Kind in keyof FieldAccess]: (needed: FieldAccess[Kind]) => boolean };
}

/** Whether the request has one of the kinds of access that `needed` names; throws where it lacks a token or a tenant. */
export function hasAccess(caller: Caller, needed: Partial<FieldAccess>): boolean {
  const checks = accessOf(caller);
  return (Object.keys(needed) as (keyof FieldAccess)[]).some((kind) => checks[kind](needed[kind] as never));
}

/** Throws the access error unless the request has one of the kinds of access that `needed` names. */
export function assertAccess(caller: Caller, needed: Partial<FieldAccess>): void {
  if (!hasAccess(caller, needed)) throw accessError('FORBIDDEN');
}
