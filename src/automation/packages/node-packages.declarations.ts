import type { Deps } from '#src/infra/deps.ts';

/** Temporary links to images of node packages; anyone who has a link can read the image. */
export interface ImageUrls {
  sign(id: bigint | number | string): string;
  /** Throws INVALID_SIGNATURE. */
  verify(id: string, query: { expires?: unknown; signature?: unknown }): void;
}

export const imagesPath = '/api/v1/node-packages/images';
export const imageTtlSeconds = 3_600;

export function createImageUrls({ urlSigner, publicUrl }: Deps, now: () => number = Date.now): ImageUrls {
  const signer = urlSigner('package-images');
  return {
    sign(id) {
      const { expires, signature } = signer.sign(String(id), { ttlSeconds: imageTtlSeconds, now: now() });
      return `${publicUrl.replace(/\/$/, '')}${imagesPath}/${id}?expires=${expires}&signature=${signature}`;
    },
    verify: (id, query) => signer.verify(id, query, now()),
  };
}
