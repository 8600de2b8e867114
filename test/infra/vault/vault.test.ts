import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { open, seal, UnreadableError } from '#src/infra/vault/cipher.ts';
import { keyId, type KeyRing, keyRing, type KeyRings } from '#src/infra/vault/key-ring.ts';
import {
  createVault,
  joinDataKey,
  type Place,
  sealedColumns,
  type SealedRow,
  type Vault,
} from '#src/infra/vault/vault.ts';
import { cloneDatabase } from '#test/setup/database.ts';

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let database: Database;
const rings = (): KeyRings => ({ credentials: keyRing(randomBytes(32)), secrets: keyRing(randomBytes(32)) });
const ours = rings();
let vault: Vault;
beforeAll(async () => {
  clone = await cloneDatabase();
  database = openDatabase({ url: clone.url, poolSize: 4 });
  vault = createVault({ database, rings: ours });
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});

const vaultPlace = (tenantId: string, row: string): Place => ({
  tenantId,
  table: 'tenant_secrets',
  row,
  column: 'value',
});

/** Stores a secret as the product does. */
async function store(tenantId: string, row: string, text: string, as = vault): Promise<void> {
  await database.withTenant(tenantId, async (tx) => {
    const { bytes, keyVersion } = await as.seal(tx, 'secrets', vaultPlace(tenantId, row), text);
    const value = { value: bytes, keyVersion };
    await tx.tenantSecret.upsert({
      where: { tenantId_key: { tenantId, key: row } },
      create: { tenantId, key: row, ...value },
      update: value,
    });
  });
}

async function read(tenantId: string, row: string): Promise<SealedRow> {
  const [found] = await database.tenantQuery<SealedRow & Record<string, unknown>>(tenantId, {
    text: `SELECT ${sealedColumns('s', 'value')} FROM tenant_secrets s ${joinDataKey('secrets', 's')} WHERE s.tenant_id = $1 AND s.key = $2`,
    values: [tenantId, row],
  });
  if (!found) throw new Error('There is no such secret.');
  return found;
}

describe('the cipher', () => {
  test('opens what it sealed, for the same key and place', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (plain, place) => {
        const key = randomBytes(32);
        expect(open(key, place, seal(key, place, plain))).toEqual(Buffer.from(plain));
      }),
    );
  });

  test('opens nothing that was altered in any bit, cut short or lengthened', () => {
    const key = randomBytes(32);
    const sealed = seal(key, 'place', Buffer.from('the secret'));
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const altered = Buffer.from(sealed);
      altered[bit >> 3] = (altered[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(() => open(key, 'place', altered)).toThrow(UnreadableError);
    }
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => open(key, 'place', sealed.subarray(0, length))).toThrow(UnreadableError);
    }
    expect(() => open(key, 'place', Buffer.concat([sealed, Buffer.of(0)]))).toThrow(UnreadableError);
  });

  test('never encrypts the same text to the same ciphertext', () => {
    const key = randomBytes(32);
    const made = new Set(Array.from({ length: 1_000 }, () => seal(key, 'p', Buffer.from('x')).toString('hex')));
    expect(made.size).toBe(1_000);
  });
});

describe('the vault', () => {
  test('stores only ciphertext, and decrypts it in its place', async () => {
    await store('shop-a', 'TOKEN', 'canary-4711');
    const row = await read('shop-a', 'TOKEN');
    expect(Buffer.from(row.bytes).includes('canary')).toBe(false);
    expect(vault.open('secrets', vaultPlace('shop-a', 'TOKEN'), row)).toBe('canary-4711');
  });

  test('opens nothing in another row, column, table or tenant, or for another purpose', async () => {
    await store('shop-a', 'MOVED', 'text');
    await store('shop-b', 'MOVED', 'other');
    const row = await read('shop-a', 'MOVED');
    const place = vaultPlace('shop-a', 'MOVED');
    for (const elsewhere of [
      { ...place, row: 'TOKEN' },
      { ...place, column: 'config' },
      { ...place, table: 'credentials' },
      { ...place, tenantId: 'shop-b' },
    ]) {
      expect(() => vault.open('secrets', elsewhere, row)).toThrow(UnreadableError);
    }
    expect(() => vault.open('credentials', place, row)).toThrow(UnreadableError);
    // With the other tenant's own data key, too.
    const { wrapped, kekId } = await read('shop-b', 'MOVED');
    expect(() => vault.open('secrets', vaultPlace('shop-b', 'MOVED'), { ...row, wrapped, kekId })).toThrow(
      UnreadableError,
    );
  });

  test('a retired key opens nothing, whether it is cached or not', async () => {
    await store('shop-a', 'RETIRED', 'text');
    const row = await read('shop-a', 'RETIRED');
    const place = vaultPlace('shop-a', 'RETIRED');
    expect(vault.open('secrets', place, row)).toBe('text');
    expect(() => vault.open('secrets', place, { ...row, wrapped: null })).toThrow(/retired/);
    expect(() => vault.open('secrets', place, { ...row, wrapped: null, kekId: null })).toThrow(/retired/);
  });

  test('concurrent first secrets share one data key', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, index) => store('shop-new', `KEY_${index}`, `value ${index}`)));
    const rows = await Promise.all(Array.from({ length: 8 }, (_, index) => read('shop-new', `KEY_${index}`)));
    expect(new Set(rows.map(({ keyVersion }) => keyVersion))).toEqual(new Set([1]));
    rows.forEach((row, index) => {
      expect(vault.open('secrets', vaultPlace('shop-new', `KEY_${index}`), row)).toBe(`value ${index}`);
    });
  });

  test('a missing key-encryption key is named at the start, by its variable', async () => {
    await store('shop-a', 'TOKEN', 'x');
    await expect(vault.assertKeys()).resolves.toBeUndefined();
    const changed: KeyRings = { ...ours, secrets: keyRing(randomBytes(32)) };
    const stranger = createVault({ database, rings: changed });
    const [id = ''] = ours.secrets.keys.keys();
    await expect(stranger.assertKeys()).rejects.toThrow(
      new RegExp(`^SECRETS_KEY: the secrets of \\d+ tenants? are sealed under key ${id}, which is missing`),
    );
    const row = await read('shop-a', 'TOKEN');
    expect(() => stranger.open('secrets', vaultPlace('shop-a', 'TOKEN'), row)).toThrow(/neither SECRETS_KEY nor/);
  });

  test('a previous key still opens, and the current one seals from the next data key on', async () => {
    await store('shop-c', 'TOKEN', 'before');
    const [previous] = ours.secrets.keys.values();
    const ring: KeyRing = keyRing(randomBytes(32), [previous as Uint8Array]);
    const renewed = createVault({ database, rings: { ...ours, secrets: ring } });
    expect(renewed.open('secrets', vaultPlace('shop-c', 'TOKEN'), await read('shop-c', 'TOKEN'))).toBe('before');
    await database.withTenant('shop-c', (tx) => renewed.addDataKey(tx, 'secrets', 'shop-c'));
    await store('shop-c', 'TOKEN', 'after', renewed);
    expect(await read('shop-c', 'TOKEN')).toMatchObject({ keyVersion: 2, kekId: ring.current });
    expect(ring.current).not.toBe(keyId(previous as Uint8Array));
  });
});
