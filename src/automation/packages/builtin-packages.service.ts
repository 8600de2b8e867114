import { createHash } from 'node:crypto';
import type { BuiltinNodes, BuiltinPackage } from '#src/automation/node-api/builtin-package.ts';
import type { Deps } from '#src/infra/deps.ts';
import { credentialTypeRow, lockCatalogue, nodeRow } from './catalogue-rows.service.ts';

/** The owner of the product's own packages; no organisation can have an empty id. */
const productOrgId = '';

/** Updates the built-in packages in the catalogue to this version of the product; at most starts nothing has changed. */
export async function registerBuiltinPackages({
  database,
  builtins,
}: Pick<Deps, 'database'> & { builtins: BuiltinNodes }): Promise<void> {
  for (const builtin of builtins.packages) await registerBuiltinPackage(database, builtin);
}

/** Its nodes have no code hash: the worker implements them itself. */
async function registerBuiltinPackage(
  database: Deps['database'],
  { name, version, label, manifests, credentialTypes }: BuiltinPackage,
): Promise<void> {
  const digest = createHash('sha256')
    .update(JSON.stringify([label, manifests, credentialTypes]))
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
  });
}
