import type { Readable } from 'node:stream';
import type { Deps } from '#src/infra/deps.ts';
import { AppError } from '#src/infra/errors.ts';

export interface OpenImage {
  contentType: string;
  /** Bytes. */
  size: number;
  content: Readable;
}

/** Opens an image by its id. The caller has verified the signed link, which is the permission. Throws NOT_FOUND. */
export async function openImage({ database, storage }: Deps, id: string): Promise<OpenImage> {
  const image = /^\d{1,18}$/.test(id)
    ? await database.global.packageImage.findUnique({ where: { id: BigInt(id) } })
    : null;
  if (!image || !(await storage.exists(image.storageKey))) throw new AppError('NOT_FOUND', 'Not Found');
  const content = await storage.stream(image.storageKey);
  return { contentType: image.contentType, size: image.size, content };
}
