import { createHash, randomInt, timingSafeEqual } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const lengths = { prefix: 12, secret: 43 };
const shape = /^cw_([0-9A-Za-z]{12})_[0-9A-Za-z]{43}$/;

const randomText = (length: number): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');

/** A new key: its complete text, which is shown once, and the parts to store. Its secret has 256 bits, so a fast hash is enough. */
export function makeKey(): { key: string; prefix: string; hash: Buffer } {
  const prefix = randomText(lengths.prefix);
  const key = `cw_${prefix}_${randomText(lengths.secret)}`;
  return { key, prefix, hash: hashKey(key) };
}

/** The part of a key that is stored in clear; undefined if the text does not have the form of a key. */
export const readPrefix = (key: string): string | undefined => shape.exec(key)?.[1];

/** True if the stored hash is that of the key, compared in constant time. */
export const isOfKey = (hash: Buffer, key: string): boolean => timingSafeEqual(hash, hashKey(key));

const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest();

/** The scopes of a key, expanded: `*` stands for all that exist. */
export const expandScopes = (given: readonly string[], all: readonly string[]): string[] =>
  given.includes('*') ? [...all] : [...given];
