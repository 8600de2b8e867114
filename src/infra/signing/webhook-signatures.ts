import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

/** The content that Standard Webhooks signs. `timestamp` is in Unix seconds, as in the header. */
export interface SignedMessage {
  id: string;
  timestamp: string;
  /** The raw bytes, exactly as they are sent. */
  body: Uint8Array;
}

/** Some senders show their secrets with the version of the signature before them: `v1,whsec_...`. */
const encodedSecret = /^(?:v1,)?whsec_((?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?)$/;

/**
 * The key of Standard Webhooks: the bytes that `whsec_<base64>` encodes, or those of any other string. Not as a buffer, with which
 * `createHmac` takes 63 µs instead of 8.
 */
const messageKey = (secret: string): string | KeyObject => {
  const [, base64] = encodedSecret.exec(secret) ?? [];
  return base64 === undefined ? secret : createSecretKey(base64, 'base64');
};

/** The minimum length of a key; a shorter one could be guessed. */
const fewestBytes = 16;

/** Why the secret of Standard Webhooks could verify no message, or is too easy to guess; null if it is good. */
export function messageSecretFault(secret: string): string | null {
  const base64 = encodedSecret.exec(secret)?.[1];
  if (base64 === undefined && /^\s*(?:v1a?,\s*)?whsec_/i.test(secret)) {
    return 'What follows whsec_ is not base64. Copy the whole secret, as its sender shows it.';
  }
  const bytes = base64 === undefined ? Buffer.byteLength(secret) : Buffer.byteLength(base64, 'base64');
  return bytes < fewestBytes ? `The key has ${bytes} bytes; use at least ${fewestBytes}.` : null;
}

const bodySignature = (body: Uint8Array, secret: string): string =>
  `v0=${createHmac('sha256', secret).update(body).digest('hex')}`;

const messageSignature = ({ id, timestamp, body }: SignedMessage, secret: string): string =>
  `v1,${createHmac('sha256', messageKey(secret)).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;

/** `X-Platform-Signature`: `v0=<hex>` of the raw body for each secret, the newest first, joined by commas. */
export const signBody = (body: Uint8Array, secrets: readonly string[]): string =>
  secrets.map((secret) => bodySignature(body, secret)).join(',');

/** `webhook-signature`: `v1,<base64>` of id, timestamp and body for each secret, the newest first, joined by spaces. */
export const signMessage = (message: SignedMessage, secrets: readonly string[]): string =>
  secrets.map((secret) => messageSignature(message, secret)).join(' ');

/** True if a header of `v0=<hex>`, several of them joined by commas, was made with one of the secrets. */
export const verifyBody = (body: Uint8Array, header: string, secrets: readonly string[]): boolean =>
  anyEqual(
    header.split(',').map((candidate) => lowerHex(candidate.trim(), 'v0=')),
    secrets.map((secret) => bodySignature(body, secret)),
  );

/** True if a header of `v1,<base64>`, several of them joined by spaces, was made with one of the secrets. */
export const verifyMessage = (message: SignedMessage, header: string, secrets: readonly string[]): boolean =>
  anyEqual(
    header.split(' '),
    secrets.map((secret) => messageSignature(message, secret)),
  );

/** The signature with its hex in lower case, because upper case means the same. The prefix stays as it is. */
export const lowerHex = (signature: string, prefix: string): string =>
  signature.startsWith(prefix) ? prefix + signature.slice(prefix.length).toLowerCase() : signature;

/** Compares text, so that no other spelling of base64 is accepted, in constant time. */
function anyEqual(candidates: readonly string[], expected: readonly string[]): boolean {
  let found = false;
  for (const signature of expected.map((text) => Buffer.from(text, 'utf8'))) {
    for (const candidate of candidates) {
      const given = Buffer.from(candidate, 'utf8');
      if (given.length === signature.length && timingSafeEqual(given, signature)) found = true;
    }
  }
  return found;
}
