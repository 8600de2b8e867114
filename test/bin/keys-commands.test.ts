import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { openDatabase } from '#src/platform/database.ts';
import { createVault, type Vault } from '#src/platform/vault.ts';
import { generateKey, keyId, openKeyRings, parseKey } from '#src/platform/vault/key-ring.ts';
import { cloneDatabase } from '#test/setup/database.ts';

const first = { credentials: generateKey(), secrets: generateKey() };
const idOf = (key: string) => keyId(parseKey(key) as Uint8Array);
let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let dataDir: string;
beforeAll(async () => {
  clone = await cloneDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'causeway-keys-'));
  await withVault(async (vault, seal) => {
    await seal(vault, 'shop-a', 'ONE');
    await seal(vault, 'shop-b', 'TWO');
  });
});
afterAll(async () => {
  await clone.drop();
  await rm(dataDir, { recursive: true, force: true });
});

type Seal = (vault: Vault, tenantId: string, key: string) => Promise<void>;

async function withVault(work: (vault: Vault, seal: Seal) => Promise<void>): Promise<void> {
  const database = openDatabase({ url: clone.url, poolSize: 2 });
  const given = { CREDENTIALS_KEY: first.credentials, SECRETS_KEY: first.secrets };
  const rings = await openKeyRings({
    ...given,
    DATA_DIR: dataDir,
    CREDENTIALS_KEY_PREVIOUS: [],
    SECRETS_KEY_PREVIOUS: [],
  });
  const seal: Seal = (vault, tenantId, key) =>
    database.withTenant(tenantId, async (tx) => {
      const place = { tenantId, table: 'tenant_secrets', row: key, column: 'value' };
      const { bytes, keyVersion } = await vault.seal(tx, 'secrets', place, 'text');
      await tx.tenantSecret.create({ data: { tenantId, key, value: bytes, keyVersion } });
    });
  try {
    await work(createVault({ database, rings }), seal);
  } finally {
    await database.close();
  }
}

/** Runs a command on the test's database and answers what it wrote. */
async function causeway(argv: string[], env: Record<string, string> = {}) {
  const written = { out: '', err: '' };
  const code = await runCauseway(argv, {
    out: (text) => void (written.out += text),
    err: (text) => void (written.err += text),
    env: {
      DATABASE_URL: clone.url,
      DATA_DIR: dataDir,
      CREDENTIALS_KEY: first.credentials,
      SECRETS_KEY: first.secrets,
      ...env,
    },
    cwd: dataDir,
  });
  return { code, ...written };
}

test('keys generate prints a key that the server takes, and another each time', async () => {
  const [one, two] = [await causeway(['keys', 'generate']), await causeway(['keys', 'generate'])];
  expect(parseKey(one.out.trim())).toHaveLength(32);
  expect(one.out).not.toBe(two.out);
});

test('keys status tells which keys the database needs, and which are missing', async () => {
  const known = await causeway(['keys', 'status']);
  expect(known.code).toBe(0);
  expect(known.out).toContain(`secrets      ${idOf(first.secrets)}  current   2 tenants`);
  const lost = await causeway(['keys', 'status'], { SECRETS_KEY: generateKey() });
  expect(lost.code).toBe(1);
  expect(lost.out).toContain(`Put key ${idOf(first.secrets)} into SECRETS_KEY or SECRETS_KEY_PREVIOUS.`);
});

test('keys rotate refuses to begin where a key is missing', async () => {
  const { code, err } = await causeway(['keys', 'rotate'], { SECRETS_KEY: generateKey() });
  expect(code).toBe(1);
  expect(err).toMatch(/^SECRETS_KEY: the secrets of 2 tenants are sealed under key [0-9a-f]{16}, which is missing/);
});

test('keys rotate moves everything under the new key, telling each tenant, and the old key may go', async () => {
  const renewed = { SECRETS_KEY: generateKey(), SECRETS_KEY_PREVIOUS: first.secrets };
  const rotated = await causeway(['keys', 'rotate', '--purpose', 'secrets'], renewed);
  expect(rotated).toMatchObject({ code: 0, err: '' });
  expect(rotated.out).toContain('secrets 1/2  shop-a: 1 sealed anew with data key 2');
  expect(rotated.out).toContain('SECRETS_KEY_PREVIOUS may be emptied');
  const after = await causeway(['keys', 'status', '--json'], { SECRETS_KEY: renewed.SECRETS_KEY });
  expect(after.code).toBe(0);
  expect(JSON.parse(after.out)).toMatchObject({
    keys: expect.arrayContaining([
      { purpose: 'secrets', key: idOf(renewed.SECRETS_KEY), state: 'current', tenants: 2 },
    ]) as unknown,
  });
});

test('keys rotate names what it takes when called wrongly', async () => {
  expect(await causeway(['keys', 'rotate', '--purpose', 'all'])).toMatchObject({
    code: 2,
    err: '--purpose takes credentials or secrets.\n',
  });
});
