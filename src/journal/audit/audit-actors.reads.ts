import type { Database } from '#src/infra/postgres/database.ts';
import type { AuditEntryRow } from './audit.reads.ts';

export const actorKinds = ['user', 'api-key', 'system'] as const;

const keyPrefix = 'api-key/';

export const actorKind = (sub: string | null): (typeof actorKinds)[number] =>
  sub === null ? 'system' : sub.startsWith(keyPrefix) ? 'api-key' : 'user';

type Entry = Pick<AuditEntryRow, 'tenantId' | 'actorSub' | 'actorEmail'>;

/** What the entry itself says of its actor. */
export const nameInEntry = ({ actorSub, actorEmail }: Entry): string | null =>
  actorKind(actorSub) === 'user' ? (actorEmail ?? actorSub) : null;

/** Tells actors apart, for one load of all their names. */
export const actorKey = ({ tenantId, actorSub, actorEmail }: Entry): string =>
  JSON.stringify([tenantId, actorSub, actorEmail]);

/**
 * The names of users and API keys, by `actorKey`; without those that have none. An entry does not say who issued the token, so a user is
 * named only if a single one has its subject and email address. Reads as the system, because operators read entries of all tenants.
 */
export async function findActorNames({ system }: Database, keys: readonly string[]): Promise<Map<string, string>> {
  const actors = keys.map((key) => JSON.parse(key) as [tenantId: string, sub: string | null, email: string | null]);
  if (actors.every(([, sub]) => sub === null)) return new Map();
  const { rows } = await system.query<{ key: string; name: string | null }>({
    name: 'audit-actors',
    text: `SELECT actor.key, CASE WHEN starts_with(actor.sub, '${keyPrefix}')
        THEN (SELECT name FROM api_keys WHERE tenant_id = actor.tenant_id AND prefix = substr(actor.sub, ${keyPrefix.length + 1}))
        ELSE (SELECT CASE WHEN count(*) = 1 THEN min(name) END FROM users
          WHERE sub = actor.sub AND email IS NOT DISTINCT FROM actor.email) END AS name
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS actor(key, tenant_id, sub, email)`,
    values: [keys, actors.map(([tenant]) => tenant), actors.map(([, sub]) => sub), actors.map(([, , email]) => email)],
  });
  return new Map(rows.flatMap(({ key, name }): [string, string][] => (name === null ? [] : [[key, name]])));
}
