import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

// Format 1: one format byte, a nonce of 12 bytes, the AES-256-GCM ciphertext, its tag of 16 bytes.
const format = 1;
const nonceBytes = 12;
const tagBytes = 16;
export const keyBytes = 32;

/**
 * A ciphertext that cannot be opened: it was moved, altered or truncated, or its key is gone. This is never expected, so it is
 * returned as a server error; `alarm` makes its log line easy to find.
 */
export class UnreadableError extends Error {
  readonly alarm = 'unreadable_ciphertext';
  readonly place: string;

  constructor(place: string, reason: string, cause?: unknown) {
    super(`The ciphertext at ${place} cannot be opened: ${reason}.`, cause === undefined ? undefined : { cause });
    this.name = 'UnreadableError';
    this.place = place;
  }
}

/** Seals `plain` under a key of 32 bytes, bound to `place`: it cannot be opened for any other place. */
export function seal(key: Uint8Array, place: string, plain: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(place));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([Buffer.of(format), nonce, body, cipher.getAuthTag()]);
}

/** Opens what `seal` returned for the same place. Throws UnreadableError and never returns a part. */
export function open(key: Uint8Array, place: string, sealed: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (bytes.length < 1 + nonceBytes + tagBytes) throw new UnreadableError(place, 'it is too short');
  if (bytes[0] !== format) throw new UnreadableError(place, `its format ${bytes[0]} is not known`);
  const nonce = bytes.subarray(1, 1 + nonceBytes);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(bytes.length - tagBytes));
  const plain = decipher.update(bytes.subarray(1 + nonceBytes, bytes.length - tagBytes));
  try {
    return Buffer.concat([plain, decipher.final()]);
  } catch (cause) {
    throw new UnreadableError(place, 'it was altered, or sealed for another place or with another key', cause);
  }
}
