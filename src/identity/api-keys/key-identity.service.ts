import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '#src/graphql/context.ts';
import { headerText, type Identify, keyHeader, keyTenantHeader } from '#src/identity/caller.ts';
import { accessError } from '#src/infra/errors.ts';
import { createLeasedLookup } from '#src/infra/postgres/batching/leased-lookup.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { expandScopes, isOfKey, readPrefix } from './api-keys.rules.ts';
import { createWrongKeys } from './wrong-keys.rules.ts';

interface Asked {
  tenantId: string;
  prefix: string;
  key: string;
}

interface FoundKey {
  id: bigint;
  tenantId: string;
  prefix: string;
  name: string;
  orgId: string;
  hash: Buffer;
  scopes: string[];
  expiresAt: Date | null;
  isStale: boolean;
}

/** Number of keys whose reads a process caches. */
const maxLeases = 1_000;

/**
 * Identifies other systems by their API key. A key that is missing, wrong, revoked, expired or of another tenant gets the same refusal, as
 * does a request that names no tenant.
 *
 * A key is read every 25 to 50 ms, and every revocation waits that long, so that a revoked key is refused from the next request on in every
 * process. Requests that arrive together share one statement. The last use of a key is recorded to the minute, in a separate statement: as
 * part of the first, it doubled the time.
 */
export function createKeyIdentity(
  database: Database,
  keyScopes: readonly string[],
  wrongKeysPerMinute: number,
): Identify {
  const wrong = createWrongKeys(wrongKeysPerMinute);
  const findCaller = createLeasedLookup<Asked, Caller>({
    most: maxLeases,
    validMs: ({ viewer }) => (viewer?.expiresAt ?? 0) - Date.now(),
    toKey: hashAsked,
    async read(asked) {
      const { rows } = await database.system.query<FoundKey>({
        name: 'find-api-keys',
        text: `
          SELECT k.id, k.tenant_id AS "tenantId", k.prefix, k.name, t.org_id AS "orgId", k.secret_hash AS hash, k.scopes,
            k.expires_at AS "expiresAt", k.last_used_at IS NULL OR k.last_used_at < now() - interval '1 minute' AS "isStale"
          FROM unnest($1::text[], $2::text[]) AS asked (tenant_id, prefix)
          JOIN api_keys k ON k.tenant_id = asked.tenant_id AND k.prefix = asked.prefix
          JOIN tenants t ON t.id = k.tenant_id
          WHERE k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`,
        values: [asked.map(({ tenantId }) => tenantId), asked.map(({ prefix }) => prefix)],
      });
      await noteUse(
        database,
        rows.filter(({ isStale }) => isStale),
      );
      const found = new Map(rows.map((row) => [`${row.tenantId} ${row.prefix}`, row]));
      return asked.map(({ tenantId, prefix, key }) => {
        const row = found.get(`${tenantId} ${prefix}`);
        if (!row || !isOfKey(row.hash, key)) return null;
        return {
          viewer: {
            userId: null,
            iss: 'causeway',
            sub: `api-key/${prefix}`,
            aud: [],
            email: null,
            name: row.name,
            roles: [],
            scopes: expandScopes(row.scopes, keyScopes),
            expiresAt: row.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
          },
          tenant: { id: tenantId, orgId: row.orgId },
        };
      });
    },
  });

  return async (headers, tenantId, how) => {
    const key = headerText(headers, keyHeader);
    const prefix = key === null ? undefined : readPrefix(key);
    if (key === null) throw accessError('UNAUTHENTICATED', { hint: hintWithoutKey(headers) });
    if (tenantId === null)
      throw accessError('UNAUTHENTICATED', { hint: `Name the tenant of the key with the header ${keyTenantHeader}.` });
    const { address = '' } = how ?? {};
    const asked = { tenantId, prefix: prefix ?? '', key };
    const isKey = prefix !== undefined && tenantId.length <= 63;
    // A wrong key becomes valid only by an unusual event such as a restored backup; the wait is over by then.
    const refusedMs = wrong.requiredWait(address, hashAsked(asked));
    if (refusedMs > 0) throw tooManyWrongKeys(refusedMs);
    const caller = isKey ? await findCaller(asked, how) : null;
    if (caller) return caller;
    const waitMs = wrong.count(address, hashAsked(asked));
    if (waitMs > 0) throw tooManyWrongKeys(waitMs);
    throw accessError('UNAUTHENTICATED', {
      hint: prefix === undefined ? `${keyHeader} holds no whole API key. Keys begin with cw_.` : notAKey,
    });
  };
}

/** Leases, and the memory of wrong keys, stay in memory long after they have ended; a key must not. The hash takes 0.4 µs. */
const hashAsked = ({ tenantId, key }: Pick<Asked, 'tenantId' | 'key'>): string =>
  hash('sha256', `${tenantId} ${key}`, 'base64');

const tooManyWrongKeys = (waitMs: number) =>
  accessError('TOO_MANY_ATTEMPTS', {
    retryAfter: Math.ceil(waitMs / 1_000),
    hint: `Too many wrong keys came from this address. Send a valid key in ${keyHeader}; it is taken at once.`,
  });

const notAKey = `${keyHeader} holds no valid key of the tenant that ${keyTenantHeader} names: it was revoked, has expired, or is of another tenant.`;

const hintWithoutKey = (headers: IncomingHttpHeaders): string => {
  const needed = `Send an API key in the header ${keyHeader}, and its tenant in ${keyTenantHeader}.`;
  return headerText(headers, 'authorization') === null ? needed : `This API takes no tokens. ${needed}`;
};

async function noteUse({ system }: Pick<Database, 'system'>, keys: readonly FoundKey[]): Promise<void> {
  if (keys.length === 0) return;
  await system.query({
    name: 'note-api-key-use',
    text: `
      UPDATE api_keys k SET last_used_at = now() FROM unnest($1::text[], $2::bigint[]) AS used (tenant_id, id)
      WHERE k.tenant_id = used.tenant_id AND k.id = used.id`,
    values: [keys.map(({ tenantId }) => tenantId), keys.map(({ id }) => id)],
  });
}
