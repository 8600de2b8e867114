import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSigningSecret } from '#src/infra/signing/signing-secret.ts';
import { makeFileOnce } from '#src/infra/storage/kept-file.ts';
import { openKeyRings } from '#src/infra/vault/key-ring.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'causeway-kept-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

test('a file is created once, readable by its owner only, and leaves no temporary file', async () => {
  const file = join(dir, 'keys', 'one.key');
  await makeFileOnce(file, 'first');
  await makeFileOnce(file, 'second');
  expect(await readFile(file, 'utf8')).toBe('first');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(dir, 'keys'))).mode & 0o777).toBe(0o700);
  expect(await readdir(join(dir, 'keys'))).toEqual(['one.key']);
});

test('a file that several processes create concurrently is complete as soon as it exists', async () => {
  const file = join(dir, 'one.key');
  const seen = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      await delay(n % 4);
      // Longer contents are written later.
      await makeFileOnce(file, `${n} `.repeat(n * 50_000 + 1));
      return readFile(file, 'utf8');
    }),
  );
  const [kept = ''] = seen;
  expect(seen.filter((content) => content !== kept)).toEqual([]);
  expect(kept).toBe(`${Number.parseInt(kept, 10)} `.repeat(Number.parseInt(kept, 10) * 50_000 + 1));
  expect(await readdir(dir)).toEqual(['one.key']);
});

test('keys and the signing secret are the same at every start, even at two concurrent ones', async () => {
  const given = { DATA_DIR: dir, CREDENTIALS_KEY_PREVIOUS: [], SECRETS_KEY_PREVIOUS: [] };
  const [first, beside] = await Promise.all([openKeyRings(given), openKeyRings(given)]);
  expect([beside, await openKeyRings(given)]).toEqual([first, first]);
  expect(first.credentials.current).not.toBe(first.secrets.current);
  const secrets = await Promise.all([openSigningSecret(dir), openSigningSecret(dir)]);
  expect([...secrets, await openSigningSecret(dir)]).toEqual([secrets[0], secrets[0], secrets[0]]);
});

test('a truncated key stops the start and is not replaced', async () => {
  const file = join(dir, 'keys', 'credentials.key');
  await makeFileOnce(file, '');
  const given = { DATA_DIR: dir, CREDENTIALS_KEY_PREVIOUS: [], SECRETS_KEY_PREVIOUS: [] };
  await expect(openKeyRings(given)).rejects.toThrow('does not hold a key');
  expect(await readFile(file, 'utf8')).toBe('');
});
