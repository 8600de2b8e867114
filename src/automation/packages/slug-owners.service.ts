import type { Prisma } from '#prisma/client.ts';
import { slugNamespace } from '#src/automation/node-api/manifest.ts';
import { ConflictError } from '#src/infra/errors.ts';

type Tx = Prisma.TransactionClient;

interface Publisher {
  orgId: string;
  /** The package's. */
  name: string;
}

/**
 * Throws ConflictError when the namespace belongs to another organisation or one of the slugs to another package. Workflows
 * name a node by its slug, so a publisher of a higher version of it could run code in its place.
 */
export async function assertOwned(
  tx: Tx,
  { orgId, name }: Publisher,
  namespace: string,
  slugs: readonly string[],
): Promise<void> {
  const { slugOwner } = tx;
  if (await slugOwner.findFirst({ where: { namespace, orgId: { not: orgId } }, select: { slug: true } })) {
    throw new ConflictError(`The namespace ${namespace} belongs to another organisation. Choose another one.`);
  }
  const taken = await slugOwner.findFirst({
    where: { slug: { in: [...slugs] }, packageName: { not: name } },
    orderBy: { slug: 'asc' },
  });
  if (taken) {
    throw new ConflictError(
      `${taken.slug} belongs to the package ${taken.packageName}. Publish it in that package, or choose another slug.`,
    );
  }
}

/** Reserves the slugs for the package permanently, even after they are deleted from the catalogue. */
export async function claimSlugs(tx: Tx, { orgId, name }: Publisher, slugs: readonly string[]): Promise<void> {
  const data = slugs.map((slug) => ({ slug, namespace: slugNamespace(slug), orgId, packageName: name }));
  await tx.slugOwner.createMany({ data, skipDuplicates: true });
}
