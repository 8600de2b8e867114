import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyPurpose } from '#prisma/enums.ts';
import { makeFileOnce } from '#src/infra/storage/kept-file.ts';
import { keyBytes } from './cipher.ts';

/** The purposes of keys; each has its own key-encryption keys, separate from all other keys. */
export const purposes = Object.values(KeyPurpose);
export type Purpose = KeyPurpose;

/** The key-encryption keys of one purpose: the current one wraps, all of them unwrap. */
export interface KeyRing {
  current: string;
  /** By id. */
  keys: ReadonlyMap<string, Uint8Array>;
}

export type KeyRings = Readonly<Record<Purpose, KeyRing>>;

/** The variable that holds a purpose's key; the earlier ones are in `<variable>_PREVIOUS`. */
export const keyVariable = <P extends Purpose>(purpose: P): `${Uppercase<P>}_KEY` =>
  `${purpose.toUpperCase() as Uppercase<P>}_KEY`;

/** The id of a key in the database and in messages; it reveals nothing about the key. */
export const keyId = (key: Uint8Array): string =>
  createHash('sha256').update('causeway/key-id\0').update(key).digest('hex').slice(0, 16);

/** Parses a key in base64 or base64url; undefined unless it has 32 bytes. */
export function parseKey(text: string): Uint8Array | undefined {
  const key = Buffer.from(text, 'base64');
  return key.length === keyBytes && /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? key : undefined;
}

export const generateKey = (): string => randomBytes(keyBytes).toString('base64');

export function keyRing(current: Uint8Array, previous: readonly Uint8Array[] = []): KeyRing {
  return { current: keyId(current), keys: new Map([current, ...previous].map((key) => [keyId(key), key])) };
}

/** Key-encryption keys in base64, as named in the environment. */
export interface GivenKeys {
  DATA_DIR: string;
  CREDENTIALS_KEY?: string | undefined;
  CREDENTIALS_KEY_PREVIOUS: readonly string[];
  SECRETS_KEY?: string | undefined;
  SECRETS_KEY_PREVIOUS: readonly string[];
}

/** Uses the given keys; for a purpose without one, a key kept in DATA_DIR, generated at the first start. */
export async function openKeyRings(given: GivenKeys): Promise<KeyRings> {
  const ring = async (purpose: Purpose): Promise<KeyRing> => {
    const variable = keyVariable(purpose);
    const current = given[variable];
    const kept = current === undefined ? await keptKey(purpose, given.DATA_DIR) : readKey(current);
    return keyRing(kept, given[`${variable}_PREVIOUS`].map(readKey));
  };
  return { credentials: await ring('credentials'), secrets: await ring('secrets') };
}

function readKey(text: string): Uint8Array {
  const key = parseKey(text);
  if (!key) throw new Error('A key-encryption key must be 32 bytes in base64.');
  return key;
}

async function keptKey(purpose: Purpose, dataDir: string): Promise<Uint8Array> {
  const file = join(dataDir, 'keys', `${purpose}.key`);
  const read = async () => parseKey((await readFile(file, 'utf8').catch(() => '')).trim());
  const kept = await read();
  if (kept) return kept;
  await makeFileOnce(file, `${generateKey()}\n`);
  const made = await read();
  if (!made)
    throw new Error(`${file} does not hold a key: 32 bytes in base64. Restore it, or set ${keyVariable(purpose)}.`);
  return made;
}
