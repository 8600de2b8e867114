import { createHash } from 'node:crypto';
import { type BuiltinNodes, type BuiltinPackage, productOrgId } from '#src/automation/node-api/builtin-package.ts';
import type { Deps } from '#src/infra/deps.ts';
import { areRegistered } from './builtin-packages.reads.ts';
import { credentialTypeRow, lockCatalogue, nodeRow, templateRow } from './catalogue-rows.service.ts';
import { claimSlugs } from './slug-owners.service.ts';

/**
 * Updates the built-in packages in the catalogue to this version of the product, and restores their missing rows. At most starts,
 * nothing has changed.
 */
export async function registerBuiltinPackages({
  database,
  builtins,
}: Pick<Deps, 'database'> & { builtins: BuiltinNodes }): Promise<void> {
  const packages = builtins.packages.map((builtin) => ({ ...builtin, digest: hashPackage(builtin) }));
  if (await areRegistered(database, packages)) return;
  for (const each of packages) await registerBuiltinPackage(database, each);
}

const hashPackage = ({ label, manifests, credentialTypes, templates = [] }: BuiltinPackage): string =>
  createHash('sha256')
    .update(JSON.stringify([label, manifests, credentialTypes, templates]))
    .digest('hex');

/** Its nodes have no code hash: the worker implements them itself. */
async function registerBuiltinPackage(
  database: Deps['database'],
  { name, version, label, manifests, credentialTypes, templates = [], digest }: BuiltinPackage & { digest: string },
): Promise<void> {
  await database.withTenant(null, async (tx) => {
    await lockCatalogue(tx);
    const { id: packageId } = await tx.nodePackage.upsert({
      where: { name_version: { name, version } },
      create: { name, version, label, orgId: productOrgId, digest, build: { status: 'ready', errors: [] } },
      update: { label, digest },
      select: { id: true },
    });
    for (const manifest of manifests) {
      const row = nodeRow(packageId, manifest, null);
      const { slug, version: of } = manifest;
      await tx.node.upsert({ where: { slug_version: { slug, version: of } }, create: row, update: row });
    }
    for (const manifest of credentialTypes) {
      const row = credentialTypeRow(packageId, manifest, null);
      const { slug, version: of } = manifest;
      await tx.credentialType.upsert({ where: { slug_version: { slug, version: of } }, create: row, update: row });
    }
    for (const manifest of templates) {
      const row = templateRow(packageId, manifest);
      const { slug, version: of } = manifest;
      await tx.workflowTemplate.upsert({ where: { slug_version: { slug, version: of } }, create: row, update: row });
    }
    const slugs = [...manifests, ...credentialTypes, ...templates].map(({ slug }) => slug);
    await claimSlugs(tx, { orgId: productOrgId, name }, slugs);
  });
}
