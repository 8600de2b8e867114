import type { ManifestImage } from '#src/automation/node-api/manifest.ts';
import type { ImageUrls } from './node-packages.declarations.ts';

/** The selection that a row needs to show its manifest's images. */
export const withImages = {
  manifest: true,
  package: { select: { images: { select: { id: true, path: true } } } },
} as const;

interface WithImages {
  manifest: unknown;
  package: { images: { id: bigint; path: string }[] };
}

function signLink({ package: { images } }: WithImages, path: string, urls: ImageUrls): string | undefined {
  const image = images.find((each) => each.path === path);
  return image && urls.sign(image.id);
}

/** A signed link to the manifest's icon; null when it has none. */
export function iconUrl(row: WithImages, urls: ImageUrls): string | null {
  const { icon } = row.manifest as { icon?: string };
  return icon === undefined ? null : (signLink(row, icon, urls) ?? null);
}

/** The manifest's images, with signed links instead of paths. */
export function listImages(row: WithImages, urls: ImageUrls): ManifestImage[] {
  const { images = [] } = row.manifest as { images?: ManifestImage[] };
  return images.flatMap((image) => {
    const src = signLink(row, image.src, urls);
    return src === undefined ? [] : [{ ...image, src }];
  });
}
