import type { ApiKey } from '#prisma/client.ts';
import type { Actor } from '#src/infra/deps.ts';
import { ConflictError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { KeyScope } from '#src/infra/key-scopes.ts';
import type { Database, TenantTx } from '#src/infra/postgres/database.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { auditedApiKey } from './api-keys.declarations.ts';
import { createApiKeyInput, rotateApiKeyInput } from './api-keys.inputs.ts';
import { makeKey } from './api-keys.rules.ts';

declare module '#src/infra/services.ts' {
  interface Services {
    /** Every scope that a domain declares, by name. */
    keyScopes: readonly string[];
    /** The same, with what a key that has one may do. */
    declaredScopes: readonly KeyScope[];
  }
}

/** The dependencies of creating a key. */
export interface KeyDeps {
  database: Database;
  keyScopes: readonly string[];
}

/** Two, so that one can be replaced while the other is still in use. */
const activePerName = 2;
const activePerTenant = 1_000;
const defaultOverlapHours = 24;

/** A new key with its secret, which is shown once and not stored. */
export interface MadeKey {
  apiKey: ApiKey;
  secret: string;
}

/** Creates a key. ValidationError for an unknown scope; ConflictError for a third active key with the name. */
export async function createApiKey({ database, keyScopes }: KeyDeps, actor: Actor, given: unknown): Promise<MadeKey> {
  const { name, scopes, expiresAt = null } = parseInput(createApiKeyInput, given);
  const unknown = scopes.filter((scope) => scope !== '*' && !keyScopes.includes(scope));
  if (unknown.length > 0) {
    throw new ValidationError({
      scopes: [`Unknown: ${unknown.join(', ')}. Use *, or any of ${keyScopes.join(', ')}.`],
    });
  }
  return database.withTenant(actor.tenantId, async (tx) => {
    const made = await insertKey(tx, actor, { name, scopes: [...new Set(scopes)], expiresAt });
    await recordAudit(tx, actor, {
      resource: auditedApiKey,
      action: 'create',
      resourceId: made.apiKey.id,
      metadata: { name, prefix: made.apiKey.prefix, scopes },
    });
    return made;
  });
}

/** Creates another key with the same name and scopes. The old one ends after an overlap, 24 hours by default. */
export async function rotateApiKey(
  { database }: Pick<KeyDeps, 'database'>,
  actor: Actor,
  id: bigint,
  given: unknown,
): Promise<MadeKey> {
  const { overlapHours } = parseInput(rotateApiKeyInput, given);
  const { tenantId } = actor;
  return database.withTenant(tenantId, async (tx) => {
    const old = await lockKey(tx, tenantId, id);
    if (old.revokedAt) throw new ConflictError('The key has been revoked; make a new one.');
    const successor = await insertKey(tx, actor, { name: old.name, scopes: old.scopes, expiresAt: null });
    const hours = overlapHours ?? defaultOverlapHours;
    await tx.query(
      `UPDATE api_keys SET expires_at = least(expires_at, now() + make_interval(hours => $3)) WHERE tenant_id = $1 AND id = $2`,
      [tenantId, id, hours],
    );
    const metadata = { name: old.name, prefix: successor.apiKey.prefix, replaces: old.prefix };
    await recordAudit(tx, actor, { resource: auditedApiKey, action: 'rotate', resourceId: id, metadata });
    return successor;
  });
}

/** Revokes a key; it is refused from the next request on, in every process. Revoking it again changes nothing. */
export async function revokeApiKey({ database }: Pick<KeyDeps, 'database'>, actor: Actor, id: bigint): Promise<ApiKey> {
  const { tenantId } = actor;
  return database.withTenant(tenantId, async (tx) => {
    const key = await lockKey(tx, tenantId, id);
    if (key.revokedAt) return key;
    const ended = await tx.apiKey.update({
      where: { tenantId_id: { tenantId, id } },
      data: { revokedAt: new Date() },
    });
    const metadata = { name: key.name, prefix: key.prefix };
    await recordAudit(tx, actor, { resource: auditedApiKey, action: 'revoke', resourceId: id, metadata });
    return ended;
  });
}

/** Stores a new key. The lock keeps the limits exact when two are created concurrently. */
async function insertKey(
  tx: TenantTx,
  { tenantId, userId }: Actor,
  { name, scopes, expiresAt }: { name: string; scopes: string[]; expiresAt: Date | null },
): Promise<MadeKey> {
  await lockNamed(tx, `api-keys/${tenantId}`);
  const isActive = { tenantId, revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] };
  if ((await tx.apiKey.count({ where: { ...isActive, name } })) >= activePerName) {
    throw new ConflictError(`${name} has ${activePerName} active keys; revoke one of them first.`);
  }
  if ((await tx.apiKey.count({ where: isActive })) >= activePerTenant) {
    throw new ConflictError(`A tenant has at most ${activePerTenant} active keys; revoke those that nothing uses.`);
  }
  const { key, prefix, hash } = makeKey();
  const apiKey = await tx.apiKey.create({
    data: { tenantId, name, prefix, secretHash: new Uint8Array(hash), scopes, expiresAt, createdBy: userId },
  });
  return { apiKey, secret: key };
}

/** Locks a key for a change that every process must see. */
async function lockKey(tx: TenantTx, tenantId: string, id: bigint): Promise<ApiKey> {
  tx.expireLeases();
  await lockNamed(tx, `api-keys/${tenantId}`);
  const key = await tx.apiKey.findUnique({ where: { tenantId_id: { tenantId, id } } });
  if (!key) throw new NotFoundError();
  return key;
}
