import { headerText, type Identify, keyHeader } from '#src/identity/caller.ts';
import { accessError } from '#src/infra/errors.ts';
import { createBatcher } from '#src/infra/postgres/batcher.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { expandScopes, isOfKey, prefixOf } from './api-keys.rules.ts';

interface Asked {
  tenantId: string;
  prefix: string;
}

interface FoundKey {
  name: string;
  orgId: string;
  hash: Buffer;
  scopes: string[];
  expiresAt: Date | null;
}

const maxBatch = 500;

/**
 * Identifies other systems by their API key. A key that is missing, wrong, revoked, expired or of another tenant is refused
 * alike, as is a request that names no tenant.
 *
 * Every request reads its key, so that a revoked one is refused from the next request on in every process. Requests that arrive
 * together share one statement, which also notes the use of a key, to the minute.
 */
export function createKeyIdentity(database: Database, keyScopes: readonly string[]): Identify {
  const lookup = createBatcher<Asked, FoundKey | null>({
    maxBatch,
    concurrency: 2,
    patienceMs: 5,
    async write(asked) {
      const { rows } = await database.system.query<FoundKey & { found: boolean }>({
        name: 'find-api-keys',
        text: `
          WITH asked AS (SELECT * FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS a(tenant_id, prefix, place)),
          found AS (
            SELECT a.place, k.id, k.tenant_id, k.name, t.org_id, k.secret_hash, k.scopes, k.expires_at,
              k.last_used_at IS NULL OR k.last_used_at < now() - interval '1 minute' AS stale
            FROM asked a
            JOIN api_keys k ON k.tenant_id = a.tenant_id AND k.prefix = a.prefix
            JOIN tenants t ON t.id = k.tenant_id
            WHERE k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
          ),
          used AS (
            UPDATE api_keys k SET last_used_at = now() FROM found f
            WHERE f.stale AND k.tenant_id = f.tenant_id AND k.id = f.id
          )
          SELECT f.place IS NOT NULL AS found, f.name, f.org_id AS "orgId", f.secret_hash AS hash, f.scopes,
            f.expires_at AS "expiresAt"
          FROM asked a LEFT JOIN found f USING (place) ORDER BY a.place`,
        values: [asked.map(({ tenantId }) => tenantId), asked.map(({ prefix }) => prefix)],
      });
      return rows.map(({ found, ...key }) => (found ? key : null));
    },
  });

  return async (headers, tenantId) => {
    const text = headerText(headers, keyHeader);
    const prefix = text === null ? undefined : prefixOf(text);
    if (text === null || prefix === undefined || tenantId === null || tenantId.length > 63) {
      throw accessError('UNAUTHENTICATED');
    }
    const key = await lookup.add({ tenantId, prefix });
    if (!key || !isOfKey(key.hash, text)) throw accessError('UNAUTHENTICATED');
    return {
      viewer: {
        userId: null,
        iss: 'causeway',
        sub: `api-key/${prefix}`,
        aud: [],
        email: null,
        name: key.name,
        roles: [],
        scopes: expandScopes(key.scopes, keyScopes),
        expiresAt: key.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
      },
      tenant: { id: tenantId, orgId: key.orgId },
    };
  };
}
