import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '#src/graphql/context.ts';

/** The header that carries an API key, and the one that names its tenant. */
export const keyHeader = 'X-Platform-Api-Key';
export const keyTenantHeader = 'X-Platform-Tenant';

/** A caller without credentials, who may do only what is public. */
export const nobody: Caller = { viewer: null, tenant: null };

/**
 * Finds the caller by the credentials in a request's headers. `tenant` is what the tenant header names, null where it is
 * missing. Throws the access error that refuses the credentials.
 */
export type Identify = (
  headers: IncomingHttpHeaders,
  tenant: string | null,
  how?: {
    /** Not by what was read before, for a caller that leases the answer itself. */
    anew?: boolean;
    /** Where the request comes from, by which wrong keys are counted. */
    address?: string | undefined;
  },
) => Promise<Caller>;

/** Whose budget a request is counted against: its user's, in all tenants, or its tenant's for an API key. Anonymous callers have none. */
export function budgetOf({ viewer, tenant }: Caller): string | null {
  if (viewer?.userId != null) return `user/${viewer.userId}`;
  return viewer && tenant ? `tenant/${tenant.id}` : null;
}

/** The first value of a header; null where it is missing or empty. */
export function headerText(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return (Array.isArray(value) ? value[0] : value) || null;
}
