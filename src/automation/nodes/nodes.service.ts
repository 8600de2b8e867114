import type { Node, Prisma } from '#prisma/client.ts';
import { productOrgId } from '#src/automation/node-api/builtin-package.ts';
import { asSlug } from '#src/automation/node-api/slug.rules.ts';
import type { Deps } from '#src/infra/deps.ts';
import { AppError, ConflictError, NotFoundError } from '#src/infra/errors.ts';

type Reader = Pick<Prisma.TransactionClient, 'node'>;

export const latestAlias = 'latest';

/** A node by slug and exact version, or its highest version for `latest`. Throws NotFoundError. */
export async function findNode(reader: Reader, slug: string, version: string): Promise<Node> {
  const where = version === latestAlias ? { slug: asSlug(slug) } : exactly(slug, version);
  const node = await reader.node.findFirst({ where, orderBy: [{ versionOrder: 'desc' }, { version: 'desc' }] });
  if (!node) throw new NotFoundError();
  return node;
}

/**
 * Removes one exact version from the catalogue. Workflows built with it keep it, and its code. Throws ConflictError for a
 * built-in node: no package could bring it back.
 */
export async function deleteNode({ database }: Deps, slug: string, version: string): Promise<void> {
  if (version === latestAlias) {
    throw new AppError('BAD_REQUEST', 'The `latest` alias is not allowed for mutating requests.');
  }
  const where = exactly(slug, version);
  const { count } = await database.global.node.deleteMany({
    where: { ...where, package: { orgId: { not: productOrgId } } },
  });
  if (count > 0) return;
  if (await database.global.node.findFirst({ where, select: { id: true } })) {
    throw new ConflictError(`${slug} is built into the product and cannot be deleted.`);
  }
  throw new NotFoundError();
}

/** Text that the database cannot store matches no version. */
const exactly = (slug: string, version: string) => ({
  slug: asSlug(slug),
  version: /^[0-9A-Za-z.+-]{1,128}$/.test(version) ? version : '',
});
