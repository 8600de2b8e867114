import type { Readable } from 'node:stream';
import type { Deps } from '#src/infra/deps.ts';
import { AppError } from '#src/infra/errors.ts';

export interface OpenImage {
  contentType: string;
  /** Bytes. */
  size: number;
  content: Readable;
}

/** Opens an image by its id for whoever holds a signed link to it. Throws INVALID_SIGNATURE or NOT_FOUND. */
export async function openImage(
  { database, storage, imageUrls }: Pick<Deps, 'database' | 'storage' | 'imageUrls'>,
  id: string,
  query: { expires?: unknown; signature?: unknown },
): Promise<OpenImage> {
  imageUrls.verify(id, query);
  const image = /^\d{1,18}$/.test(id)
    ? await database.global.packageImage.findUnique({ where: { id: BigInt(id) } })
    : null;
  if (!image || !(await storage.exists(image.storageKey))) throw new AppError('NOT_FOUND', 'Not Found');
  const content = await storage.stream(image.storageKey);
  return { contentType: image.contentType, size: image.size, content };
}
