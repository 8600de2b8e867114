import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { openDatabase } from '#src/infra/postgres/database.ts';
import { generateKey, keyId, keyRing, openKeyRings, parseKey } from '#src/infra/vault/key-ring.ts';
import { createVault, joinDataKey, sealedColumns, type SealedRow, type Vault } from '#src/infra/vault/vault.ts';
import { inheritedEnv } from '#test/setup/child-env.ts';
import { cloneDatabase } from '#test/setup/database.ts';
import { v8Flags } from '#test/setup/v8-flags.ts';

const first = { credentials: generateKey(), secrets: generateKey() };
const readKeyId = (key: string) => keyId(parseKey(key) as Uint8Array);
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

/** Runs a command on the test's database and returns its output. */
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

test('keys generate prints a valid key, and a different one each time', async () => {
  const [one, two] = [await causeway(['keys', 'generate']), await causeway(['keys', 'generate'])];
  expect(parseKey(one.out.trim())).toHaveLength(32);
  expect(one.out).not.toBe(two.out);
});

test('keys status shows which keys the database needs, and which are missing', async () => {
  const known = await causeway(['keys', 'status']);
  expect(known.code).toBe(0);
  expect(known.out).toContain(`secrets      ${readKeyId(first.secrets)}  current   2 tenants`);
  const lost = await causeway(['keys', 'status'], { SECRETS_KEY: generateKey() });
  expect(lost.code).toBe(1);
  expect(lost.out).toContain(`Put key ${readKeyId(first.secrets)} into SECRETS_KEY or SECRETS_KEY_PREVIOUS.`);
});

test('keys status says that there is no database in an empty directory, and creates none', async () => {
  const empty = await mkdtemp(join(tmpdir(), 'causeway-no-database-'));
  const { code, out, err } = await causeway(['keys', 'status'], { DATABASE_URL: '', DATA_DIR: empty });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain(`There is no database in DATA_DIR=${empty}. Start Causeway there once`);
  expect(await readdir(empty)).toEqual([]);
  await rm(empty, { recursive: true });
});

test('keys rotate refuses to start if a key is missing', async () => {
  const { code, err } = await causeway(['keys', 'rotate'], { SECRETS_KEY: generateKey() });
  expect(code).toBe(1);
  expect(err).toMatch(/^SECRETS_KEY: the secrets of 2 tenants are sealed under key [0-9a-f]{16}, which is missing/);
});

test('keys rotate moves everything to the new key, naming each tenant, and the old key may be removed', async () => {
  const renewed = { SECRETS_KEY: generateKey(), SECRETS_KEY_PREVIOUS: first.secrets };
  const rotated = await causeway(['keys', 'rotate', '--purpose', 'secrets'], renewed);
  expect(rotated).toMatchObject({ code: 0, err: '' });
  expect(rotated.out).toContain('secrets 1/2  shop-a: 1 resealed with data key 2');
  expect(rotated.out).toContain('SECRETS_KEY_PREVIOUS may be emptied');
  const after = await causeway(['keys', 'status', '--json'], { SECRETS_KEY: renewed.SECRETS_KEY });
  expect(after.code).toBe(0);
  expect(JSON.parse(after.out)).toMatchObject({
    keys: expect.arrayContaining([
      { purpose: 'secrets', key: readKeyId(renewed.SECRETS_KEY), state: 'current', tenants: 2 },
    ]) as unknown,
  });
});

test('keys rotate, killed and restarted repeatedly, two at a time, loses nothing', { timeout: 180_000 }, async () => {
  const own = await cloneDatabase();
  const renewed = { CREDENTIALS_KEY: generateKey(), CREDENTIALS_KEY_PREVIOUS: first.credentials };
  const env = { DATABASE_URL: own.url, DATA_DIR: dataDir, SECRETS_KEY: first.secrets, ...renewed };
  const database = openDatabase({ url: own.url, poolSize: 4 });
  const rings = await openKeyRings({
    ...env,
    SECRETS_KEY_PREVIOUS: [],
    CREDENTIALS_KEY_PREVIOUS: [first.credentials],
  });
  const vault = createVault({ database, rings });
  const tenantId = 'shop-k';
  const place = (id: bigint) => ({ tenantId, table: 'credentials', row: String(id), column: 'config' });
  await database.withTenant(tenantId, async (tx) => {
    const seal = await vault.sealer(tx, 'credentials', tenantId);
    const sealed = Array.from({ length: 700 }, (_, index) => {
      const id = BigInt(1_000_000 + index);
      const { bytes, keyVersion } = seal(place(id), `text ${id}`);
      const name = `Credential ${id}`;
      return { tenantId, id, name, credentialTypeSlug: 'a:b', config: bytes, configKeyVersion: keyVersion };
    });
    await tx.credential.createMany({ data: sealed.map((row) => ({ ...row, publicConfig: {} })) });
  });
  const newest = async () =>
    (
      await database.system.query<{ version: number }>(
        'SELECT max(version) AS version FROM data_keys WHERE tenant_id = $1',
        [tenantId],
      )
    ).rows[0]?.version ?? 0;
  const start = () =>
    spawn(process.execPath, [...v8Flags, 'bin/causeway.ts', 'keys', 'rotate', '--tenant', tenantId], {
      env: { ...inheritedEnv, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  const ended = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once('exit', resolve));
  for (const afterMs of [0, 40]) {
    const before = await newest();
    const children = [start(), start()];
    const ends = children.map(ended);
    // Its key is made, and what is sealed comes next.
    while ((await newest()) === before && children.every(({ exitCode }) => exitCode === null)) await delay(2);
    await delay(afterMs);
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(ends);
  }
  expect(await causeway(['keys', 'rotate', '--tenant', tenantId], env)).toMatchObject({ code: 0, err: '' });

  const rows = await database.tenantQuery<SealedRow & { id: number } & Record<string, unknown>>(tenantId, {
    name: 'sealed',
    text: `SELECT c.id, ${sealedColumns('c', 'config', 'config_key_version')} FROM credentials c
       ${joinDataKey('credentials', 'c', 'config_key_version')} WHERE c.tenant_id = $1`,
    values: [tenantId],
  });
  expect(rows).toHaveLength(700);
  const after = createVault({
    database,
    rings: { ...rings, credentials: keyRing(parseKey(renewed.CREDENTIALS_KEY) as Uint8Array) },
  });
  for (const row of rows) expect(after.open('credentials', place(BigInt(row.id)), row)).toBe(`text ${row.id}`);
  const { rows: kept } = await database.system.query<object>(
    'SELECT FROM data_keys WHERE tenant_id = $1 AND retired_at IS NULL',
    [tenantId],
  );
  expect(kept).toHaveLength(1);
  await database.close();
  await own.drop();
});

test('keys rotate shows its usage when called wrongly', async () => {
  expect(await causeway(['keys', 'rotate', '--purpose', 'all'])).toMatchObject({
    code: 2,
    err: '--purpose takes credentials or secrets.\n',
  });
});
