import type { Extension, ExtensionAsset } from '#prisma/client.ts';
import type { Deps } from '#src/infra/deps.ts';
import { ConflictError } from '#src/infra/errors.ts';
import type { Manifest } from '#src/themes/manifest/manifest.ts';
import { type Review, createReview } from './review.rules.ts';

export interface ExtensionReview extends Review {
  extension: Extension;
  /** The version it is compared with; null for the first. */
  previous: Extension | null;
}

/**
 * The changes of a version, for the operator who publishes it: compared with another version of the same extension, or by default with the
 * one that was published last before it was registered. Null if there is no such version.
 */
export async function reviewExtension(
  { database }: Deps,
  id: bigint,
  against: bigint | null,
): Promise<ExtensionReview | null> {
  const { extension: extensions } = database.global;
  const include = { assets: { orderBy: { path: 'asc' } } } as const;
  const extension = await extensions.findUnique({ where: { id }, include });
  if (!extension) return null;
  const { vendor, name } = extension;
  const previous = await (against === null
    ? extensions.findFirst({
        where: { vendor, name, id: { lt: id }, status: { in: ['published', 'withdrawn'] } },
        orderBy: { id: 'desc' },
        include,
      })
    : extensions.findUnique({ where: { id: against }, include }));
  if (against !== null && !previous) return null;
  if (previous && (previous.vendor !== vendor || previous.name !== name)) {
    throw new ConflictError(`The other version is not one of ${vendor}/${name}.`);
  }
  return { extension, previous, ...createReview(reviewed(extension), previous && reviewed(previous)) };
}

const reviewed = ({ manifest, assets }: Extension & { assets: ExtensionAsset[] }) => ({
  manifest: manifest as unknown as Manifest,
  assets: assets.map(({ path, size, integrity, elements }) => ({ path, size, integrity, elements })),
});
