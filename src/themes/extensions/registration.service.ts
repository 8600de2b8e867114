import type { Extension, Prisma } from '#prisma/client.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { ConflictError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { sameJson } from '#src/infra/json.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { isUniqueViolation } from '#src/infra/postgres/sql-errors.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { publishEvent } from '#src/journal/outbox/outbox.ts';
import { auditedExtension, extensionData, extensionRegistered } from './extensions.declarations.ts';
import { registerExtensionInput } from './extensions.inputs.ts';
import { siteRoot } from './site.rules.ts';
import { maxAssetBytes, readSite, type Site } from './site.service.ts';

/**
 * Registers the version that runs at `url`: manifest, hashes and the bytes of the assets, which never change again. The first tenant that
 * registers a name owns it. Registering the same version again returns the same extension; ConflictError if its content differs, or if the
 * name belongs to another tenant.
 */
export async function registerExtension(deps: Deps, actor: Actor, given: unknown): Promise<Extension> {
  const root = siteRoot(parseInput(registerExtensionInput, given).url);
  const { database, storage } = deps;
  const site = await readSite(deps.egress, root);
  const known = await database.withTenant(actor.tenantId, (tx) => findVersion(tx, actor.tenantId, site));
  if (known) return known;
  const assets = await Promise.all(
    (await site.assets()).map(async ({ content, ...asset }) => {
      const { key: storageKey, bytes: size } = await storage.put(content, { maxBytes: maxAssetBytes });
      return { ...asset, storageKey, size };
    }),
  );
  const store = () => database.withTenant(actor.tenantId, (tx) => insert(tx, actor, root, site, assets));
  // If another call has registered it in the meantime, the second attempt finds it.
  return store().catch((error: unknown) => {
    if (isUniqueViolation(error)) return store();
    throw error;
  });
}

async function insert(
  tx: TenantTx,
  actor: Actor,
  url: string,
  site: Site,
  assets: Prisma.ExtensionAssetCreateWithoutExtensionInput[],
): Promise<Extension> {
  const { tenantId } = actor;
  const { vendor, name, version, title, type = 'private', target } = site.manifest;
  const owner = { vendor, name };
  await tx.extensionName.createMany({ data: [{ ...owner, tenantId }], skipDuplicates: true });
  const known = await findVersion(tx, tenantId, site);
  if (known) return known;
  const extension = await tx.extension.create({
    data: {
      ...owner,
      tenantId,
      version,
      title,
      type,
      url,
      targetTheme: target.theme,
      targetVersion: target.version,
      manifest: site.manifest as unknown as Prisma.InputJsonObject,
      integrity: site.integrity,
      assets: { create: assets },
    },
  });
  const resourceId = extension.id;
  const metadata = { ...owner, version, url };
  await recordAudit(tx, actor, { resource: auditedExtension, action: 'register', resourceId, metadata });
  await publishEvent(tx, { tenantId, cause: actor, topic: extensionRegistered, data: extensionData(extension) });
  return extension;
}

/** The registered version with this content. ConflictError if its content differs, or if the name belongs to another tenant. */
async function findVersion(tx: TenantTx, tenantId: string, { manifest, integrity }: Site): Promise<Extension | null> {
  const { vendor, name, version } = manifest;
  const owner = await tx.extensionName.findUnique({ where: { vendor_name: { vendor, name } } });
  if (owner && owner.tenantId !== tenantId) {
    throw new ConflictError(`The name ${vendor}/${name} belongs to another tenant. Choose another one.`);
  }
  const known = await tx.extension.findUnique({ where: { vendor_name_version: { vendor, name, version } } });
  if (known && !(sameJson(known.manifest, manifest) && sameJson(known.integrity, integrity))) {
    throw new ConflictError(
      `${vendor}/${name} ${version} is registered with other content, and versions never change. Give this one another version.`,
    );
  }
  return known;
}
