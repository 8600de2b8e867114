import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '#src/graphql/context.ts';

/** A caller without credentials, who may do only what is public. */
export const nobody: Caller = { viewer: null, tenant: null };

/**
 * Finds the caller by the credentials in a request's headers. `tenant` is what the tenant header names, null where it is
 * missing. Throws the access error that refuses the credentials.
 */
export type Identify = (headers: IncomingHttpHeaders, tenant: string | null) => Promise<Caller>;

/** The key of a user's request budget, shared by all tenants; anonymous callers have none. */
export const userBudget = ({ viewer }: Caller): string | null => viewer && `user/${viewer.userId}`;

/** The first value of a header; null where it is missing or empty. */
export function headerText(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return (Array.isArray(value) ? value[0] : value) || null;
}
