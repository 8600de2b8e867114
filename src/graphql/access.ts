import type { AuthFailure } from '@pothos/plugin-scope-auth';
import type { GraphQLError } from 'graphql/error/GraphQLError.js';
import { accessError } from '#src/infra/errors.ts';
import type { KeyScopes } from '#src/infra/key-scopes.ts';
import { rolesFor } from '#src/infra/roles.ts';
import type { Caller, Viewer } from './context.ts';

const sufficientRoles: Partial<Record<keyof FieldAccess, readonly string[]>> = rolesFor;

/** Who has access, by a token's roles: every field of the graph names one of these, and REST uses the same. */
export interface Access {
  /** Any valid token or API key: the minimum for everything that a key may reach. */
  identified: boolean;
  /** Any valid token. */
  authenticated: boolean;
  /** Any role, whatever the tenant: for running code that belongs to no tenant, and for lists whose parts depend on the role. */
  tester: boolean;
  /** Role `user` or `admin`, in a tenant. */
  member: boolean;
  /** Role `admin`, in a tenant. */
  admin: boolean;
  /** Role `operator`, whatever the tenant. */
  operator: boolean;
}

/** The access that a field may require. If it names several, one is enough: `{ member: true, scope: 'orders:read' }`. */
export interface FieldAccess extends Access {
  /** An API key with this scope, in a tenant. */
  scope: keyof KeyScopes;
}

/**
 * One check per kind of access. Throws the access error if the request lacks a viewer or the required tenant; returns false if the role is
 * missing, because another kind may still grant access.
 */
export function createAccess({ viewer, tenant, hint }: Caller) {
  const known = () => {
    if (!viewer) throw accessError('UNAUTHENTICATED', { hint });
    return viewer;
  };
  const has = (kind: keyof FieldAccess) => (sufficientRoles[kind] ?? []).some((role) => known().roles.includes(role));
  const inTenant = () => {
    known();
    if (!tenant) throw accessError('TENANT_REQUIRED', { hint });
    return true;
  };
  return {
    identified: () => known() !== null,
    // A key has no user, and reaches only fields that name one of its scopes.
    authenticated: () => known().userId !== null,
    tester: () => has('tester'),
    member: () => inTenant() && has('member'),
    admin: () => inTenant() && has('admin'),
    operator: () => has('operator'),
    scope: (name) => inTenant() && known().scopes.includes(name),
  } satisfies { [Kind in keyof FieldAccess]: (needed: FieldAccess[Kind]) => boolean };
}

/** True if the request has one of the kinds of access in `needed`; throws if it lacks a token or a tenant. */
export function hasAccess(caller: Caller, needed: Partial<FieldAccess>): boolean {
  const checks = createAccess(caller);
  return (Object.keys(needed) as (keyof FieldAccess)[]).some((kind) => checks[kind](needed[kind] as never));
}

/** Throws the access error unless the request has one of the kinds of access in `needed`. */
export function assertAccess(caller: Caller, needed: Partial<FieldAccess>): void {
  if (!hasAccess(caller, needed)) throw forbidden(caller, needed);
}

/** The access error FORBIDDEN, with the caller's roles or scopes and those that would be enough; the roles also for programs. */
export function forbidden({ viewer }: Pick<Caller, 'viewer'>, needed: Partial<FieldAccess>): GraphQLError {
  const roles = rolesEnough(needed);
  return accessError('FORBIDDEN', {
    hint: viewer?.userId === null ? hintForKey(viewer, needed) : hintForToken(viewer, needed),
    ...(roles.length > 0 && { roles }),
  });
}

/** The roles of a token of which one is enough; none where only API keys have access. */
const rolesEnough = (needed: Partial<FieldAccess>): string[] => [
  ...new Set(Object.keys(needed).flatMap((kind) => sufficientRoles[kind as keyof FieldAccess] ?? [])),
];

function hintForKey({ scopes }: Viewer, { scope }: Partial<FieldAccess>): string {
  if (scope === undefined) return "This needs a user's token: no scope of an API key allows it.";
  return `This needs a key with the scope ${scope}; this key has ${scopes.length > 0 ? scopes.join(', ') : 'none'}.`;
}

function hintForToken(viewer: Viewer | null, needed: Partial<FieldAccess>): string {
  const roles = rolesEnough(needed);
  const own = viewer?.roles.length ? viewer.roles.join(', ') : 'none';
  if (roles.length === 0) return `This needs an API key with the scope ${needed.scope}.`;
  return `This needs the role ${roles.join(' or ')}; the token has ${own}.`;
}

/** The access that a field required, read from the plugin's failure. */
export function scopesIn(failure: AuthFailure): Partial<FieldAccess> {
  if ('failures' in failure) return Object.assign({}, ...failure.failures.map(scopesIn)) as Partial<FieldAccess>;
  return 'scope' in failure ? { [failure.scope]: 'parameter' in failure ? failure.parameter : true } : {};
}
