import type { Deps } from '#src/infra/deps.ts';
import { AppError, NotFoundError } from '#src/infra/errors.ts';
import { computeIntegrity, maxAssetBytes } from '#src/themes/extensions/site.service.ts';
import { findServedAsset, type StoredAsset } from './assets.store.ts';

export interface Asset {
  contentType: string;
  content: Buffer;
  /** Its subresource integrity. */
  integrity: string;
}

/**
 * A file of a pinned version, as it was registered, without a request to the extension. NotFoundError for a file that is not declared, or
 * whose version nobody has pinned; INTEGRITY_FAILED if the stored bytes differ from the registered ones.
 */
export async function readAsset(
  deps: Deps,
  asked: { vendor: string; name: string; version: string; path: string },
): Promise<Asset> {
  if (Object.values(asked).some((text) => text.includes('\0'))) throw new NotFoundError();
  const asset = await findServedAsset(deps.database, asked);
  if (!asset) throw new NotFoundError();
  return readStored(deps, asset, asked);
}

/** The bytes of a registered file. INTEGRITY_FAILED if they differ from the registered ones; `asked` is for the log. */
export async function readStored(
  { storage, log }: Pick<Deps, 'storage' | 'log'>,
  { contentType, storageKey, integrity }: StoredAsset,
  asked: object,
): Promise<Asset> {
  const content = await storage.get(storageKey, { maxBytes: maxAssetBytes }).catch((err: unknown) => {
    log.error({ err, ...asked }, 'The asset of an extension cannot be read.');
    throw new AppError('INTEGRITY_FAILED');
  });
  if (computeIntegrity(content) !== integrity) {
    log.error(asked, 'The stored asset of an extension differs from what was registered.');
    throw new AppError('INTEGRITY_FAILED');
  }
  return { contentType, content, integrity };
}
