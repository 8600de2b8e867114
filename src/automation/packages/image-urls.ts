import { createUrlSigner } from '#src/infra/signing/signed-url.ts';

/** Temporary links to images of node packages; anyone who has a link can read the image. */
export interface ImageUrls {
  sign(id: bigint | number | string): string;
  /** Throws INVALID_SIGNATURE. */
  verify(id: string, query: { expires?: unknown; signature?: unknown }): void;
}

export const imagesPath = '/api/v1/node-packages/images';
export const imageTtlSeconds = 3_600;

/** `baseUrl` is the API's address for browsers. */
export function createImageUrls(options: { secret: Uint8Array; baseUrl: string; now?: () => number }): ImageUrls {
  const { baseUrl, now = Date.now } = options;
  const signer = createUrlSigner(options.secret, 'package-images');
  return {
    sign(id) {
      const { expires, signature } = signer.sign(String(id), { ttlSeconds: imageTtlSeconds, now: now() });
      return `${baseUrl.replace(/\/$/, '')}${imagesPath}/${id}?expires=${expires}&signature=${signature}`;
    },
    verify: (id, query) => signer.verify(id, query, now()),
  };
}
