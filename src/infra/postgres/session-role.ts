import { OutageError } from './outages.ts';

/** The role that a session starts with by its start-up options, such as `-c role=causeway_app`. */
export const roleOf = (options: string | undefined): string | undefined => /-c role=(\w+)/.exec(options ?? '')?.[1];

/**
 * Refuses a session that started without its role. A pooler may drop start-up options, and `options` in the URL replace ours: the session
 * then acts as the URL's user, for whom row-level security does not keep tenants apart. To callers it is an outage, as nobody may be served.
 */
export function assertRole(expected: string | undefined, actual: string | undefined): void {
  if (expected === undefined || actual === expected) return;
  throw new OutageError(
    `A database session acts as ${actual} and not as ${expected}, so row-level security would not keep tenants apart. A pooler between Causeway and Postgres dropped the start-up options, or DATABASE_URL has an "options" of its own. Connect to Postgres directly, as docs/database.md says.`,
  );
}
