import type { Caller } from '#src/graphql/context.ts';
import type { Deps } from '#src/infra/deps.ts';
import { createCountedWarning } from '#src/infra/logs/counted-line.ts';
import type { Database } from '#src/infra/postgres/database.ts';

/** Calls `ended` once, when the caller's access has been revoked. Returns the function that stops watching. */
export type WatchAccess = (caller: Caller, ended: () => void) => () => void;

/** The access of one API key, or of one tenant's users: one read decides for all their streams. */
interface Access {
  tenantId: string;
  orgId: string;
  /** The prefix of the API key; null for a user. */
  prefix: string | null;
  watchers: Set<() => void>;
}

const everyMs = 2_000;
const maxBatch = 1_000;
const keySubject = 'api-key/';

const warnOfFailure = createCountedWarning('Whether live streams may go on could not be read; it is read again.');

/**
 * Ends the live streams of callers whose access was revoked after it was checked: an API key that was revoked or rotated, a tenant that was
 * deleted or moved to another organisation. Reads the access of all of them every two seconds, so that no notice can be lost. While the
 * database is away streams stay open; nothing could be sent over them.
 *
 * The claims of a token hold until it expires, which ends its streams (`callAt`) and its requests.
 */
export function createAccessWatch(database: Database, log: Deps['log']): WatchAccess {
  const watched = new Map<string, Access>();
  let timer: NodeJS.Timeout | undefined;

  async function check(): Promise<void> {
    const all = [...watched.values()];
    for (let from = 0; from < all.length; from += maxBatch) {
      const some = all.slice(from, from + maxBatch);
      const lost = await findLost(database, some);
      // Each watcher removes itself from the set when it is called.
      const watchers = lost.flatMap((place) => [...(some[place] as Access).watchers]);
      for (const ended of watchers) ended();
    }
  }

  function schedule(): void {
    if (timer !== undefined || watched.size === 0) return;
    timer = setTimeout(() => {
      check()
        .catch((error: unknown) => warnOfFailure(log, error))
        .finally(() => {
          timer = undefined;
          schedule();
        });
    }, everyMs).unref();
  }

  return ({ viewer, tenant }, ended) => {
    if (!viewer || !tenant) return () => undefined;
    const prefix = viewer.userId === null ? viewer.sub.slice(keySubject.length) : null;
    const key = JSON.stringify([tenant.id, tenant.orgId, prefix]);
    const access = watched.get(key) ?? { tenantId: tenant.id, orgId: tenant.orgId, prefix, watchers: new Set() };
    watched.set(key, access);
    const watcher = (): void => {
      stop();
      ended();
    };
    const stop = (): void => {
      access.watchers.delete(watcher);
      if (access.watchers.size > 0) return;
      if (watched.get(key) === access) watched.delete(key);
    };
    access.watchers.add(watcher);
    schedule();
    return stop;
  };
}

/** The positions of the entries that have lost their access. */
async function findLost({ system }: Database, asked: readonly Access[]): Promise<number[]> {
  const { rows } = await system.query<{ place: number }>({
    name: 'find-lost-access',
    text: `
      SELECT (asked.place - 1)::int AS place
      FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS asked (tenant_id, org_id, prefix, place)
      WHERE NOT EXISTS (SELECT FROM tenants t WHERE t.id = asked.tenant_id AND t.org_id = asked.org_id)
        OR asked.prefix IS NOT NULL AND NOT EXISTS (
          SELECT FROM api_keys k
          WHERE k.tenant_id = asked.tenant_id AND k.prefix = asked.prefix
            AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()))`,
    values: [asked.map(({ tenantId }) => tenantId), asked.map(({ orgId }) => orgId), asked.map(({ prefix }) => prefix)],
  });
  return rows.map(({ place }) => place);
}
