import { createHmac, createSecretKey, hkdfSync, timingSafeEqual } from 'node:crypto';

/** The values that a cursor is bound to: the list, its tenant or audience, its filters. Equal values in the same order match. */
export type CursorBounds = readonly (string | number | boolean | null | undefined)[];

/** Cursors that a client can neither make nor change, nor use for another list, tenant or filter. */
export interface SignedCursors {
  /** Returns base64url. `place` is short text that says where the list continues; it is signed, not encrypted. */
  sign(bounds: CursorBounds, place: string): string;
  /** Returns the place, or undefined when the cursor was not signed for these bounds. */
  open(bounds: CursorBounds, cursor: string): string | undefined;
}

/** Half of an HMAC-SHA256, the shortest accepted truncation: cursors travel in URLs. */
const macBytes = 16;
/** Room for a place of 2 KiB, such as a key of the state store. */
const longestCursor = 3_000;

/** The key is derived from `secret` (at least 32 bytes) for cursors only, so that a signed URL is never a valid cursor. */
export function createSignedCursors(secret: Uint8Array): SignedCursors {
  if (secret.length < 32) throw new Error('The secret that cursors are signed with must have at least 32 bytes.');
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'causeway/signed-cursors/v1', 32)));
  const mac = (bounds: CursorBounds, place: string): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([bounds.map((bound) => bound ?? null), place]))
      .digest()
      .subarray(0, macBytes);

  return {
    sign: (bounds, place) => Buffer.concat([mac(bounds, place), Buffer.from(place, 'utf8')]).toString('base64url'),
    open(bounds, cursor) {
      if (cursor.length > longestCursor) return undefined;
      const bytes = Buffer.from(cursor, 'base64url');
      // Base64url has unused bits and decoders are lenient, so only the spelling that was signed is accepted.
      if (bytes.length <= macBytes || bytes.toString('base64url') !== cursor) return undefined;
      const place = bytes.subarray(macBytes).toString('utf8');
      return timingSafeEqual(mac(bounds, place), bytes.subarray(0, macBytes)) ? place : undefined;
    },
  };
}
