import type { Credential } from '#prisma/client.ts';
import type { CredentialTypeManifest } from '#src/automation/node-api/manifest.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { AppError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import { namesUnique } from '#src/infra/postgres/sql-errors.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { findCredentialType } from './credential-types.service.ts';
import { type CredentialUse, credentialUses } from './credential-uses.service.ts';
import { auditedCredential } from './credentials.declarations.ts';
import { createCredentialInput, updateCredentialInput } from './credentials.inputs.ts';
import {
  changesAuthorisation,
  changesOwnToken,
  changesSecrets,
  findExpiry,
  isSecret,
  readConfig,
  withStoredSecrets,
} from './credentials.rules.ts';
import { lockCredential, nextCredentialId, sealConfig, type StoredCredential } from './credentials.store.ts';
import { readGrantType } from './oauth/oauth-client.rules.ts';
import { rateColumns } from './rates/rate-limit.inputs.ts';

/** Leaves the ciphertext in the database. */
const shown = { config: true, grant: true } as const;
export type ShownCredential = Omit<Credential, keyof typeof shown>;

/** Bounds the list of a tenant's credentials, which is read whole. */
export const credentialsPerTenant = 1_000;

/** The latest version of a credential type; throws a ValidationError when the slug is unknown. */
export async function requireCredentialType(deps: Deps, slug: string) {
  const type = await findCredentialType(deps, slug);
  if (type) return type;
  throw new ValidationError({
    credentialTypeSlug: ['There is no such credential type; publish its package or correct the slug.'],
  });
}

/** Stores a credential, sealed. A credential of a 3-legged type stays pending until it is authorised. */
export async function createCredential(deps: Deps, actor: Actor, given: unknown): Promise<ShownCredential> {
  const input = parseInput(createCredentialInput, given);
  const { manifest } = await requireCredentialType(deps, input.credentialTypeSlug);
  const { values, publicConfig } = readConfig(manifest, input.config);
  const { tenantId } = actor;
  const { name } = input;
  return namesUnique(() =>
    deps.database.withTenant(tenantId, async (tx) => {
      await requirePlace(tx, tenantId);
      const id = await nextCredentialId(tx);
      const credential = await tx.credential.create({
        data: {
          tenantId,
          id,
          credentialTypeSlug: manifest.slug,
          name,
          status: needsUser(manifest, values) ? 'pending' : 'active',
          publicConfig,
          expiresAt: input.expiresAt ?? findExpiry(manifest.fields, values),
          ...rateColumns(input.rateLimit ?? null),
          ...(await sealConfig(deps, tx, { tenantId, id }, values)),
        },
        omit: shown,
      });
      const metadata = { name, credential_type_slug: manifest.slug };
      await recordAudit(tx, actor, { resource: auditedCredential, action: 'create', resourceId: id, metadata });
      return credential;
    }),
  );
}

/** Changes the given fields. A given config replaces the stored one, except that secrets left out keep their value. */
export async function updateCredential(deps: Deps, actor: Actor, id: bigint, given: unknown): Promise<ShownCredential> {
  const { name, config, expiresAt, rateLimit } = parseInput(updateCredentialInput, given);
  const { tenantId } = actor;
  return namesUnique(() =>
    deps.database.withTenant(tenantId, async (tx) => {
      const stored = await requireCredential(deps, tx, tenantId, id);
      const data = {
        ...(name != null && name !== stored.name && { name }),
        ...(config != null && (await changedConfig(deps, tx, stored, config))),
        // An unchanged expiry keeps the record of its notices.
        ...(expiresAt !== undefined &&
          expiresAt?.getTime() !== stored.expiresAt?.getTime() && { expiresAt, expiryNoticedDays: null }),
        ...(rateLimit !== undefined && rateColumns(rateLimit)),
      };
      const key = { tenantId_id: { tenantId, id } };
      if (Object.keys(data).length === 0) return tx.credential.findUniqueOrThrow({ where: key, omit: shown });
      const updated = await tx.credential.update({ where: key, data, omit: shown });
      const changed = Object.keys(data).flatMap((field) => auditedFields.get(field) ?? []);
      await recordAudit(tx, actor, {
        resource: auditedCredential,
        action: 'update',
        resourceId: id,
        metadata: { changed },
      });
      return updated;
    }),
  );
}

/** How the audit log names the columns that a change writes. */
const auditedFields = new Map(
  Object.entries({
    name: 'name',
    config: 'config',
    status: 'status',
    expiresAt: 'expiresAt',
    rateRequests: 'rateLimit',
  }),
);

async function changedConfig(deps: Deps, tx: TenantTx, stored: StoredCredential, given: Record<string, unknown>) {
  const { tenantId, id } = stored;
  const { manifest } = await requireCredentialType(deps, stored.typeSlug);
  const { fields } = manifest;
  const { values, publicConfig } = readConfig(manifest, withStoredSecrets(fields, given, stored.config));
  const disconnects = changesConnection(manifest, stored.config, values);
  if (disconnects) await tx.oauthState.deleteMany({ where: { tenantId, credentialId: id } });
  return {
    ...(await sealConfig(deps, tx, { tenantId, id }, values)),
    publicConfig,
    ...(changesSecrets(fields, stored.config, values) && {
      expiresAt: findExpiry(fields, values),
      expiryNoticedDays: null,
    }),
    ...(disconnects && {
      status: needsUser(manifest, values) ? ('pending' as const) : ('active' as const),
      grant: null,
      grantKeyVersion: null,
      // A refresh in progress finds that its version is outdated.
      grantVersion: stored.grantVersion + 1,
      refreshAt: null,
      refreshLease: null,
      refreshLeaseUntil: null,
    }),
  };
}

/** Deletes a credential and returns the nodes that still name it; they fail from now on. */
export async function deleteCredential(deps: Deps, actor: Actor, id: bigint): Promise<CredentialUse[]> {
  const { tenantId } = actor;
  return deps.database.withTenant(tenantId, async (tx) => {
    const where = { tenantId_id: { tenantId, id } };
    await tx.$queryRaw`SELECT 1 FROM credentials WHERE tenant_id = ${tenantId} AND id = ${id} FOR UPDATE`;
    const stored = await tx.credential.findUnique({ where, select: { name: true, credentialTypeSlug: true } });
    if (!stored) throw new NotFoundError();
    const uses = (await credentialUses(tx, tenantId, [id])).get(id) ?? [];
    await tx.oauthState.deleteMany({ where: { tenantId, credentialId: id } });
    await tx.credential.delete({ where, select: { id: true } });
    const { name, credentialTypeSlug: slug } = stored;
    const metadata = { name, credential_type_slug: slug, used_by: uses.length };
    await recordAudit(tx, actor, { resource: auditedCredential, action: 'delete', resourceId: id, metadata });
    return uses;
  });
}

/** True when a user must authorise such a credential before it works. */
export const needsUser = (manifest: CredentialTypeManifest, values: object): boolean =>
  readGrantType(manifest, values) === 'authorization_code';

/** True when the credential's tokens no longer belong to its config after the change. */
function changesConnection(
  manifest: CredentialTypeManifest,
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): boolean {
  if (manifest.auth_kind === 'secret') return false;
  if (readGrantType(manifest, before) !== readGrantType(manifest, after)) return true;
  return needsUser(manifest, after) ? changesAuthorisation(before, after) : changesOwnToken(before, after);
}

async function requireCredential(deps: Deps, tx: TenantTx, tenantId: string, id: bigint): Promise<StoredCredential> {
  const stored = await lockCredential(deps, tx, tenantId, id);
  if (!stored) throw new NotFoundError();
  return stored;
}

/** Serialises creations of one tenant, so that the limit is exact. */
async function requirePlace(tx: TenantTx, tenantId: string): Promise<void> {
  await lockNamed(tx, `credentials/${tenantId}`);
  if ((await tx.credential.count({ where: { tenantId } })) < credentialsPerTenant) return;
  throw new AppError(
    'UNPROCESSABLE',
    `A tenant has at most ${credentialsPerTenant} credentials. Delete some that nothing uses.`,
  );
}

/** The keys of the secret fields in the current version of each type, by slug. */
export async function secretFields(deps: Deps, slugs: readonly string[]): Promise<Map<string, ReadonlySet<string>>> {
  const manifests = await credentialManifests(deps, slugs);
  return new Map(
    [...manifests].map(([slug, { fields }]) => [slug, new Set(fields.filter(isSecret).map(({ key }) => key))]),
  );
}

/** The current version of each type that is registered, by slug. */
export async function credentialManifests(
  deps: Deps,
  slugs: readonly string[],
): Promise<Map<string, CredentialTypeManifest>> {
  const types = await Promise.all(slugs.map((slug) => findCredentialType(deps, slug)));
  return new Map(types.flatMap((type) => (type ? [[type.manifest.slug, type.manifest] as const] : [])));
}
