import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFileOnce } from '#src/infra/storage/kept-file.ts';
import { keyBytes } from './cipher.ts';

/** What a key protects; each has key-encryption keys of its own, apart from every other key of the application. */
export const purposes = ['credentials', 'secrets'] as const;
export type Purpose = (typeof purposes)[number];

/** The key-encryption keys of one purpose: the first wraps, all unwrap. */
export interface KeyRing {
  current: string;
  /** By id. */
  keys: ReadonlyMap<string, Uint8Array>;
}

export type KeyRings = Readonly<Record<Purpose, KeyRing>>;

/** The variable that holds a purpose's key; the earlier ones stand in `<variable>_PREVIOUS`. */
export const keyVariable = <P extends Purpose>(purpose: P): `${Uppercase<P>}_KEY` =>
  `${purpose.toUpperCase() as Uppercase<P>}_KEY`;

/** What a key is called in the database and in messages: it tells keys apart and nothing of them. */
export const keyId = (key: Uint8Array): string =>
  createHash('sha256').update('causeway/key-id\0').update(key).digest('hex').slice(0, 16);

/** A key from its base64 or base64url spelling; undefined when that is not 32 bytes. */
export function parseKey(text: string): Uint8Array | undefined {
  const key = Buffer.from(text, 'base64');
  return key.length === keyBytes && /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? key : undefined;
}

export const generateKey = (): string => randomBytes(keyBytes).toString('base64');

export function keyRing(current: Uint8Array, previous: readonly Uint8Array[] = []): KeyRing {
  return { current: keyId(current), keys: new Map([current, ...previous].map((key) => [keyId(key), key])) };
}

/** Key-encryption keys in base64, as the environment names them. */
export interface GivenKeys {
  DATA_DIR: string;
  CREDENTIALS_KEY?: string | undefined;
  CREDENTIALS_KEY_PREVIOUS: readonly string[];
  SECRETS_KEY?: string | undefined;
  SECRETS_KEY_PREVIOUS: readonly string[];
}

/** The keys that are given; a purpose without one has a key of its own kept in DATA_DIR, made at the first time. */
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
  if (!key) throw new Error('A key-encryption key takes 32 bytes in base64.');
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
