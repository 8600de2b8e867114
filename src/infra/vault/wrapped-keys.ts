import { open, seal, UnreadableError } from './cipher.ts';
import { type KeyRings, keyVariable, type Purpose } from './key-ring.ts';

/** A data key, as the database holds it. */
export interface WrappedDataKey {
  purpose: Purpose;
  tenantId: string;
  version: number;
  kekId: string;
  wrapped: Uint8Array;
}

/** What the cipher binds a wrapped data key to, so that it opens for no other tenant, purpose or version. */
const keyPlace = (purpose: Purpose, tenantId: string, version: number): string =>
  JSON.stringify(['causeway', 'data-key', purpose, tenantId, version]);

/** Throws UnreadableError if the key-encryption key is missing, or is not the one. */
export function unwrapDataKey(
  rings: KeyRings,
  { purpose, tenantId, version, kekId, wrapped }: WrappedDataKey,
): Uint8Array {
  const kek = rings[purpose].keys.get(kekId);
  if (!kek)
    throw new UnreadableError(
      `${purpose}/${tenantId}/${version}/${kekId}`,
      `key ${kekId} is neither ${keyVariable(purpose)} nor among the previous ones`,
    );
  return open(kek, keyPlace(purpose, tenantId, version), wrapped);
}

/** Wraps a data key with the current key-encryption key of its purpose. */
export function wrapDataKey(
  rings: KeyRings,
  { purpose, tenantId, version }: Pick<WrappedDataKey, 'purpose' | 'tenantId' | 'version'>,
  key: Uint8Array,
): Pick<WrappedDataKey, 'kekId' | 'wrapped'> {
  const { current, keys } = rings[purpose];
  return { kekId: current, wrapped: seal(keys.get(current) as Uint8Array, keyPlace(purpose, tenantId, version), key) };
}
