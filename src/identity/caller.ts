import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '#src/graphql/context.ts';

/** The header that carries an API key, and the one that names its tenant. */
export const keyHeader = 'X-Platform-Api-Key';
export const keyTenantHeader = 'X-Platform-Tenant';

/** A caller without credentials, with access to public fields only. */
export const nobody: Caller = { viewer: null, tenant: null };

/**
 * Identifies the caller by the credentials in a request's headers. `tenant` is the value of the tenant header, null if it is missing.
 * Throws the access error if the credentials are refused.
 */
export type Identify = (
  headers: IncomingHttpHeaders,
  tenant: string | null,
  how?: {
    /** Bypasses earlier reads, for a caller that leases the answer itself. */
    anew?: boolean;
    /** The source address of the request, by which wrong keys are counted. */
    address?: string | undefined;
  },
) => Promise<Caller>;

/**
 * The subject whose budget a request counts against: the user, in all tenants, or for an API key its tenant. Anonymous callers have none.
 */
export function rateBudget({ viewer, tenant }: Caller): string | null {
  if (viewer?.userId != null) return `user/${viewer.userId}`;
  return viewer && tenant ? `tenant/${tenant.id}` : null;
}

/** The first value of a header; null if it is missing or empty. */
export function headerText(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return (Array.isArray(value) ? value[0] : value) || null;
}
