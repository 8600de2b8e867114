import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { configurationFile, configurationPage } from '#scripts/configuration.ts';
import { generateKey } from '#src/infra/vault/key-ring.ts';
import { environment, misspelledSettings, readEnv } from '#src/process/env.ts';

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

  test('names every invalid variable in one sentence', () => {
    expect(() => readEnv({ PORT: 'high', ROLE: 'boss' })).toThrow(/^The environment is invalid\. ROLE: .* PORT: /);
    for (const PORT of ['abc', '1.5', '-1', '65536']) {
      expect(() => readEnv({ PORT })).toThrow('PORT: takes a whole number from 0 to 65535.');
    }
  });

  test('accepts a database by its URL alone', () => {
    const taken = ['postgres://hub:secret@db.example:5432/hub', 'postgresql://postgres@/causeway?host=%2Ftmp'];
    for (const DATABASE_URL of taken) expect(readEnv({ DATABASE_URL })).toMatchObject({ DATABASE_URL });
    for (const DATABASE_URL of [
      'nope',
      'localhost/hub',
      'mysql://root@localhost/hub',
      'postgres://hub@localhost:99999/hub',
      'postgres://hub:with#hash@localhost/hub',
      'postgres://hub:100%@localhost/hub',
    ]) {
      expect(() => readEnv({ DATABASE_URL })).toThrow(
        'The environment is invalid. DATABASE_URL: must be a URL such as postgres://user:password@host:5432/database, with #,',
      );
    }
  });

  test('accepts a mail server with its sender, and neither alone', () => {
    const servers = [
      'smtp://mail.example',
      'smtps://hub:secret%40@mail.example:465',
      'smtp://[::1]:25?requireTLS=true',
    ];
    for (const SMTP_URL of servers)
      for (const SMTP_FROM of ['alerts@hub.example', 'Causeway <alerts@hub.example>'])
        expect(readEnv({ SMTP_URL, SMTP_FROM })).toMatchObject({ SMTP_URL, SMTP_FROM });
    for (const SMTP_URL of ['mail.example:25', 'https://mail.example', 'smtp://hub:100%@mail.example'])
      expect(() => readEnv({ SMTP_URL, SMTP_FROM: 'a@hub.example' })).toThrow(
        'SMTP_URL: must be a URL such as smtp://',
      );
    for (const SMTP_FROM of ['alerts', 'a@hub.example, b@hub.example', 'A <a@hub.example>\nBcc: b@hub.example'])
      expect(() => readEnv({ SMTP_URL: 'smtp://mail.example', SMTP_FROM })).toThrow('SMTP_FROM: takes an address');
    for (const alone of [{ SMTP_URL: 'smtp://mail.example' }, { SMTP_FROM: 'a@hub.example' }])
      expect(() => readEnv(alone)).toThrow('SMTP_URL and SMTP_FROM belong together; set both, or neither.');
  });

  test.each([
    ['erp.internal', 'has no port; write for example erp.internal:443'],
    ['https://erp.internal/api', 'is a URL; write its host and port, erp.internal:443'],
    ['erp.internal:0', 'is not host:port; write for example erp.internal:8080 or [::1]:8080'],
  ])('stops at %s in EGRESS_ALLOW, and says what to write', (entry, fault) => {
    expect(() => readEnv({ EGRESS_ALLOW: `ok:80, ${entry}` })).toThrow(
      `The environment is invalid. EGRESS_ALLOW: "${entry}" ${fault}.`,
    );
  });

  test.each([
    ['WORKER_CONCURENCY', 'WORKER_CONCURRENCY'],
    ['DATABASE_ULR', 'DATABASE_URL'],
    ['Database_Url', 'DATABASE_URL'],
    ['DATADIR', 'DATA_DIR'],
    ['EGRESS_ALOW', 'EGRESS_ALLOW'],
    ['CREDENTIAL_KEY', 'CREDENTIALS_KEY'],
  ])('takes %s for a misspelt %s', (name, meant) => {
    expect(misspelledSettings({ [name]: '1' })).toEqual([
      `${name} is not a setting and has no effect. Did you mean ${meant}?`,
    ]);
  });

  test('ignores the variables of other programs', () => {
    const others = 'HOME HOSTNAME POST PORTS ROLES NODE_OPTIONS AWS_REGION BASE_URL REDIS_URL LOG_DIR npm_config_cache';
    const given = Object.fromEntries(
      [...others.split(' '), ...Object.keys(environment.shape)].map((name) => [name, '1']),
    );
    expect(misspelledSettings({ ...given, XDG_DATA_DIRS: '/usr/share', ['x'.repeat(100_000)]: '1' })).toEqual([]);
  });

  test('seeds the demo everywhere but in production, unless told otherwise', () => {
    expect(readEnv({}).SEED_DEMO).toBe(true);
    expect(readEnv({ SEED_DEMO: '0' }).SEED_DEMO).toBe(false);
    expect(readEnv(production).SEED_DEMO).toBe(false);
    expect(readEnv({ ...production, SEED_DEMO: '1' }).SEED_DEMO).toBe(true);
  });

  test.each([
    [{ DATABASE_APP_URL: 'postgres://app@pooler/hub' }, 'belong together; set both, or neither'],
    [{ DATABASE_SYSTEM_URL: 'postgres://system@pooler/hub' }, 'belong together; set both, or neither'],
    [
      { DATABASE_APP_URL: 'postgres://app@pooler/hub', DATABASE_SYSTEM_URL: 'postgres://system@pooler/hub' },
      'to the database of DATABASE_URL, which must be set as well',
    ],
  ])('refuses half of a pooler: %o', (env, message) => {
    expect(() => readEnv(env)).toThrow(message);
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
