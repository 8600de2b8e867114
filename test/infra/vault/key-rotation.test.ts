import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { declarations } from '#src/domains/domains.ts';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { keyRing, type KeyRings } from '#src/infra/vault/key-ring.ts';
import { rotateDataKeys } from '#src/infra/vault/rotation.ts';
import {
  createVault,
  joinDataKey,
  type Place,
  sealedColumns as sealedRow,
  type SealedRow,
  type Vault,
} from '#src/infra/vault/vault.ts';
import { cloneDatabase } from '#test/setup/database.ts';

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let database: Database;
let owner: pg.Client;
let vault: Vault;
let rings: KeyRings;
beforeAll(async () => {
  clone = await cloneDatabase();
  database = openDatabase({ url: clone.url, poolSize: 16 });
  owner = new pg.Client({ connectionString: clone.url });
  await owner.connect();
  rings = { credentials: keyRing(randomBytes(32)), secrets: keyRing(randomBytes(32)) };
  vault = createVault({ database, rings });
});
afterAll(async () => {
  await owner.end();
  await database.close();
  await clone.drop();
});

const vaultPlace = (tenantId: string, key: string): Place => ({
  tenantId,
  table: 'tenant_secrets',
  row: key,
  column: 'value',
});

async function store(tenantId: string, key: string, text: string): Promise<void> {
  await database.withTenant(tenantId, async (tx) => {
    const { bytes, keyVersion } = await vault.seal(tx, 'secrets', vaultPlace(tenantId, key), text);
    const value = { value: bytes, keyVersion };
    const where = { tenantId_key: { tenantId, key } };
    await tx.tenantSecret.upsert({ where, create: { tenantId, key, ...value }, update: value });
  });
}

/** Stores all of them in one transaction, each with its name and what `more` adds as the text. */
async function storeAll(tenantId: string, keys: string[], more = ''): Promise<void> {
  await database.withTenant(tenantId, async (tx) => {
    const seal = await vault.sealer(tx, 'secrets', tenantId);
    const data = keys.map((key) => {
      const { bytes, keyVersion } = seal(vaultPlace(tenantId, key), key + more);
      return { tenantId, key, value: bytes, keyVersion };
    });
    await tx.tenantSecret.createMany({ data });
  });
}

async function read(tenantId: string, key: string, as = vault): Promise<string> {
  const [row] = await database.tenantQuery<SealedRow & Record<string, unknown>>(tenantId, {
    name: 'read-secret',
    text: `SELECT ${sealedRow('s', 'value')} FROM tenant_secrets s ${joinDataKey('secrets', 's')} WHERE s.tenant_id = $1 AND s.key = $2`,
    values: [tenantId, key],
  });
  return as.open('secrets', vaultPlace(tenantId, key), row as SealedRow);
}

/** All of a tenant's secrets, by key. */
async function readAll(tenantId: string): Promise<Record<string, string>> {
  const rows = await database.tenantQuery<SealedRow & { key: string }>(tenantId, {
    text: `SELECT s.key, ${sealedRow('s', 'value')} FROM tenant_secrets s ${joinDataKey('secrets', 's')} WHERE s.tenant_id = $1`,
    values: [tenantId],
  });
  return Object.fromEntries(rows.map((row) => [row.key, vault.open('secrets', vaultPlace(tenantId, row.key), row)]));
}

const findKeys = async (tenantId: string) =>
  (
    await owner.query<{ version: number; alive: boolean; sealed: string }>(
      `SELECT version, wrapped IS NOT NULL AS alive,
         (SELECT count(*) FROM tenant_secrets s WHERE s.tenant_id = k.tenant_id AND s.key_version = k.version) AS sealed
       FROM data_keys k WHERE tenant_id = $1 AND purpose = 'secrets' ORDER BY version`,
      [tenantId],
    )
  ).rows.map(({ version, alive, sealed }) => ({ version, alive, sealed: Number(sealed) }));

const rotate = (tenantId: string, as = vault) =>
  rotateDataKeys({ database, vault: as }, { tenantId, purpose: 'secrets', columns: declarations.sealedColumns });

test('covers every column with ciphertexts', async () => {
  const { rows } = await owner.query<{ place: string }>(
    `SELECT table_name || '.' || column_name AS place FROM information_schema.columns
     WHERE table_schema = 'public' AND data_type = 'bytea'`,
  );
  const others = ['api_keys.secret_hash', 'data_keys.wrapped', 'oauth_states.state_hash', 'poll_keys.key'];
  const listed = declarations.sealedColumns.map(({ table, column }) => `${table}.${column}`);
  expect([...listed, ...others].toSorted()).toEqual(rows.map(({ place }) => place).toSorted());
});

test(
  'a thousand reads and many writes continue while keys are rotated, and no old key is used afterwards',
  { timeout: 120_000 },
  async () => {
    const keys = Array.from({ length: 450 }, (_, index) => `KEY_${index}`);
    await storeAll('busy', keys, ' 0');
    const seen = { reads: 0, rounds: 0, rotated: false };
    const [enough, several] = [1_000, 3];
    const hasMore = () => seen.reads < enough || seen.rounds < several;
    const readers = Array.from({ length: 12 }, async (_, reader) => {
      for (let at = reader; hasMore() || !seen.rotated; at += 7) {
        const key = keys[at % keys.length] as string;
        expect(await read('busy', key)).toMatch(new RegExp(`^${key} \\d+$`));
        seen.reads += 1;
      }
    });
    const writer = (async () => {
      for (let at = 0; hasMore(); at += 11)
        await store('busy', keys[at % keys.length] as string, `${keys[at % keys.length]} ${at}`);
    })();
    while (hasMore()) {
      await rotate('busy');
      seen.rounds += 1;
    }
    seen.rotated = true;
    await Promise.all([...readers, writer]);
    await rotate('busy');
    expect(seen.reads).toBeGreaterThanOrEqual(enough);
    expect(seen.rounds).toBeGreaterThanOrEqual(several);
    const held = await findKeys('busy');
    const newest = held.pop();
    expect(newest).toEqual({ version: seen.rounds + 2, alive: true, sealed: keys.length });
    expect(held.every(({ alive, sealed }) => !alive && sealed === 0)).toBe(true);
    const texts = await readAll('busy');
    expect(Object.keys(texts).toSorted()).toEqual(keys.toSorted());
    for (const key of keys) expect(texts[key]).toMatch(new RegExp(`^${key} \\d+$`));
  },
);

test('a rotation under a new key-encryption key makes the old one obsolete', async () => {
  await store('moved', 'TOKEN', 'text');
  const [previous] = rings.secrets.keys.values();
  const renewed: KeyRings = { ...rings, secrets: keyRing(randomBytes(32), [previous as Uint8Array]) };
  const during = createVault({ database, rings: renewed });
  expect(await rotate('moved', during)).toMatchObject({ version: 2, resealed: 1 });
  const [current] = renewed.secrets.keys.values();
  const after = createVault({ database, rings: { ...rings, secrets: keyRing(current as Uint8Array) } });
  expect(await read('moved', 'TOKEN', after)).toBe('text');
});

test('a ciphertext that does not open stops the rotation before any key is destroyed', async () => {
  await store('broken', 'GOOD', 'text');
  await store('broken', 'BAD', 'text');
  await owner.query(`UPDATE tenant_secrets SET value = set_byte(value, 20, get_byte(value, 20) # 1) WHERE key = 'BAD'`);
  await expect(rotate('broken')).rejects.toThrow('broken/tenant_secrets/BAD/value');
  expect(await read('broken', 'GOOD')).toBe('text');
  expect((await findKeys('broken')).every(({ alive }) => alive)).toBe(true);
});

test(
  'concurrent rotations result in one key, and none reports a ciphertext as broken',
  { timeout: 120_000 },
  async () => {
    const keys = Array.from({ length: 450 }, (_, index) => `KEY_${index}`);
    await storeAll('met', keys);
    for (let round = 0; round < 2; round += 1) {
      const begun: Promise<unknown>[] = [];
      for (let other = 0; other < 4; other += 1) {
        begun.push(rotate('met'));
        await delay(15);
      }
      await Promise.all(begun);
    }
    expect(await readAll('met')).toEqual(Object.fromEntries(keys.map((key) => [key, key])));
    const held = await findKeys('met');
    expect(held.filter(({ alive }) => alive)).toEqual([expect.objectContaining({ sealed: keys.length })]);
  },
);
