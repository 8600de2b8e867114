import { createHmac, createSecretKey, hkdfSync, timingSafeEqual } from 'node:crypto';
import { AppError } from '#src/infra/errors.ts';

/** The query of a signed URL. `expires` is in seconds since 1970. */
export interface SignedQuery {
  expires: number;
  /** Base64url HMAC-SHA256. */
  signature: string;
}

export interface UrlSigner {
  /** Signs an id for `ttlSeconds` from `now` (milliseconds since 1970). */
  sign(id: string, options: { ttlSeconds: number; now: number }): SignedQuery;
  /**
   * Throws INVALID_SIGNATURE unless the query was signed for this id and has not expired. Takes the query as received;
   * missing, repeated and malformed values are refused like tampered ones.
   */
  verify(id: string, query: { expires?: unknown; signature?: unknown }, now: number): void;
}

const expiresPattern = /^[1-9]\d{0,11}$/;

/**
 * Signs and verifies ids in URLs. The key is derived from `secret` (at least 32 bytes) for this `purpose` only, so that a
 * signature for images is not valid for anything else.
 */
export const createUrlSigner = (secret: Uint8Array, purpose: string): UrlSigner => {
  if (secret.length < 32) throw new Error('The secret that URLs are signed with must have at least 32 bytes.');
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `causeway/signed-url/${purpose}`, 32)));

  // The expiry has only digits, so the first dot ends it whatever the id contains.
  const mac = (id: string, expires: string): Buffer => createHmac('sha256', key).update(`${expires}.${id}`).digest();

  return {
    sign: (id, { ttlSeconds, now }) => {
      const expires = Math.floor(now / 1_000) + ttlSeconds;
      return { expires, signature: mac(id, String(expires)).toString('base64url') };
    },
    verify: (id, query, now) => {
      const expires = String(query.expires);
      if (!expiresPattern.test(expires) || typeof query.signature !== 'string') throw new AppError('INVALID_SIGNATURE');
      const expected = mac(id, expires);
      const given = Buffer.from(query.signature, 'base64url');
      const same = given.length === expected.length && timingSafeEqual(given, expected);
      // Base64url has unused bits, so only the spelling that was signed is accepted.
      if (!same || given.toString('base64url') !== query.signature) throw new AppError('INVALID_SIGNATURE');
      if (Number(expires) * 1_000 <= now) throw new AppError('INVALID_SIGNATURE');
    },
  };
};
