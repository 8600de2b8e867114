import { createHash } from 'node:crypto';
import { coreCredentialTypes } from '#src/automation/core-nodes/credential-types.ts';
import { coreNodeManifests } from '#src/automation/core-nodes/manifests.ts';
import type { Deps } from '#src/infra/deps.ts';
import { credentialTypeRow, lockCatalogue, nodeRow } from './catalogue-rows.ts';

/** The owner of the product's own packages; no organisation can have an empty id. */
export const productOrgId = '';
const corePackage = { name: 'core', version: '1.0.0', label: 'Core' };

/**
 * Updates package `core` in the catalogue to this version of the product; at most starts nothing has changed. Its nodes have
 * no code hash, because the worker implements them.
 */
export async function registerCorePackage({ database }: Pick<Deps, 'database'>): Promise<void> {
  const { name, version, label } = corePackage;
  const digest = createHash('sha256')
    .update(JSON.stringify([label, coreNodeManifests, coreCredentialTypes]))
    .digest('hex');
  const named = { name_version: { name, version } };
  const present = await database.global.nodePackage.findUnique({ where: named, select: { digest: true } });
  if (present?.digest === digest) return;
  await database.withoutTenant(async (tx) => {
    await lockCatalogue(tx);
    const { id: packageId } = await tx.nodePackage.upsert({
      where: named,
      create: { name, version, label, orgId: productOrgId, digest, build: { status: 'ready', errors: [] } },
      update: { label, digest },
      select: { id: true },
    });
    for (const manifest of coreNodeManifests) {
      const row = nodeRow(packageId, manifest, null);
      const { slug, version: of } = manifest;
      await tx.node.upsert({ where: { slug_version: { slug, version: of } }, create: row, update: row });
    }
    for (const manifest of coreCredentialTypes) {
      const row = credentialTypeRow(packageId, manifest, null);
      const { slug, version: of } = manifest;
      await tx.credentialType.upsert({ where: { slug_version: { slug, version: of } }, create: row, update: row });
    }
  });
}
