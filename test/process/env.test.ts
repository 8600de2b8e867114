import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { configurationFile, configurationPage } from '#scripts/configuration.ts';
import { generateKey } from '#src/infra/vault/key-ring.ts';
import { readEnv } from '#src/process/env.ts';

const keys = { CREDENTIALS_KEY: generateKey(), SECRETS_KEY: generateKey() };
const production = { ...keys, NODE_ENV: 'production', OIDC_ISSUER: 'https://id.example.com' };

describe('the environment', () => {
  test('is documented completely (run npm run generate when this fails)', async () => {
    expect(await readFile(configurationFile, 'utf8')).toBe(configurationPage());
  });

  test('treats an empty variable as unset', () => {
    const { PORT, DATABASE_URL } = readEnv({ PORT: '', DATABASE_URL: '' });
    expect({ PORT, DATABASE_URL }).toEqual({ PORT: 4000, DATABASE_URL: undefined });
  });

  test('names every variable that is wrong in one sentence', () => {
    expect(() => readEnv({ PORT: 'high', ROLE: 'boss' })).toThrow(/^The environment is invalid\. ROLE: .* PORT: /);
    for (const PORT of ['abc', '1.5', '-1', '65536']) {
      expect(() => readEnv({ PORT })).toThrow('PORT: takes a whole number from 0 to 65535.');
    }
  });

  test('takes a database by its URL alone', () => {
    const taken = ['postgres://hub:secret@db.example:5432/hub', 'postgresql://postgres@/causeway?host=%2Ftmp'];
    for (const DATABASE_URL of taken) expect(readEnv({ DATABASE_URL })).toMatchObject({ DATABASE_URL });
    for (const DATABASE_URL of [
      'nope',
      'localhost/hub',
      'mysql://root@localhost/hub',
      'postgres://hub@localhost:99999/hub',
    ]) {
      expect(() => readEnv({ DATABASE_URL })).toThrow(
        'The environment is invalid. DATABASE_URL: must be a URL such as postgres://user:password@host:5432/database.',
      );
    }
  });

  test('seeds the demo everywhere but in production, unless told otherwise', () => {
    expect(readEnv({}).SEED_DEMO).toBe(true);
    expect(readEnv({ SEED_DEMO: '0' }).SEED_DEMO).toBe(false);
    expect(readEnv(production).SEED_DEMO).toBe(false);
    expect(readEnv({ ...production, SEED_DEMO: '1' }).SEED_DEMO).toBe(true);
  });

  test('needs an issuer in production, and DATABASE_URL for ROLE=api or worker', () => {
    expect(() => readEnv({ NODE_ENV: 'production' })).toThrow('OIDC_ISSUER');
    expect(() => readEnv({ ROLE: 'worker' })).toThrow('ROLE=worker needs DATABASE_URL');
  });

  test('names each key that production lacks, and refuses one key for both', () => {
    const { CREDENTIALS_KEY: one, ...rest } = production;
    expect(() => readEnv({ ...rest, SECRETS_KEY: '' })).toThrow(/^CREDENTIALS_KEY and SECRETS_KEY must be set/);
    expect(() => readEnv(rest)).toThrow(/^CREDENTIALS_KEY must be set/);
    expect(() => readEnv({ ...rest, CREDENTIALS_KEY: 'short' })).toThrow(/CREDENTIALS_KEY: takes 32 bytes/);
    expect(() => readEnv({ CREDENTIALS_KEY: one, SECRETS_KEY: one })).toThrow('must differ');
    expect(() => readEnv({ SECRETS_KEY_PREVIOUS: `${one},x` })).toThrow('SECRETS_KEY_PREVIOUS');
  });
});
