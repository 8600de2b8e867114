import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { describe, expect, inject, onTestFinished } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { ensureDatabase } from '#src/infra/migrations/ensure-database.ts';
import { test } from '#test/setup/app-test.ts';

async function causeway(argv: string[], env: Record<string, string> = {}) {
  const outcome = { code: 0, out: '', err: '' };
  outcome.code = await runCauseway(argv, {
    out: (text) => void (outcome.out += text),
    err: (text) => void (outcome.err += text),
    env,
    cwd: '/',
  });
  return outcome;
}

const org = (id: string, ...more: string[]) => ['org', 'create', id, '--name', 'Initech', ...more];
const tenant = (place: string, ...more: string[]) => ['tenant', 'create', place, '--name', 'Initech shop', ...more];

describe('org create and tenant create on DATABASE_URL', () => {
  test('create what the organisation’s tokens can use immediately', async ({ api }) => {
    const env = { DATABASE_URL: api.databaseUrl };
    expect(await causeway(org('initech', '--json'), env)).toEqual({
      code: 0,
      out: '{"org":{"id":"initech","name":"Initech"}}\n',
      err: '',
    });
    expect(await causeway(tenant('initech/initech-shop'), env)).toMatchObject({
      code: 0,
      out: expect.stringContaining('X-Tenant-Id: initech-shop'),
    });
    const answer = await api.graphql(
      '{ me { context { tenantId } } }',
      {},
      { org_id: 'initech', tenant: 'initech-shop' },
    );
    expect(answer).toEqual({ data: { me: { context: { tenantId: 'initech-shop' } } } });
  });

  test.for([
    [org('acme'), 'Organisation acme exists already.'],
    [org('Acme'), 'Use a lowercase letter, then up to 62 letters, digits or hyphens.'],
    [tenant('acme/acme-shop'), 'Tenant acme-shop exists already.'],
    [
      tenant('nobody/shop'),
      'There is no organisation nobody. Create it first: causeway org create nobody --name <name>',
    ],
  ] as const)('refuse %j and say why', async ([argv, message], { api }) => {
    expect(await causeway([...argv], { DATABASE_URL: api.databaseUrl })).toMatchObject({
      code: 1,
      err: expect.stringContaining(message),
    });
  });

  test('say how to create the tables in a database without them', async () => {
    const name = `empty_${randomUUID().replaceAll('-', '')}`;
    await ensureDatabase(inject('postgresUrl'), name);
    onTestFinished(async () => {
      const client = new pg.Client({ connectionString: inject('postgresUrl') });
      await client.connect();
      await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await client.end();
    });
    const env = { DATABASE_URL: inject('postgresUrl').replace('/postgres?', `/${name}?`) };
    expect(await causeway(org('initech'), env)).toMatchObject({
      code: 1,
      err: 'The database lacks tables. Run causeway migrate, or start the server once.\n',
    });
  });
});

describe('org create and tenant create with CAUSEWAY_TOKEN', () => {
  test('work through the running server, which needs an operator', async ({ api }) => {
    await api.app.listen({ host: '127.0.0.1', port: 0 });
    const url = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`;
    const env = { CAUSEWAY_TOKEN: await api.token({ roles: ['operator'] }), CAUSEWAY_URL: url };
    expect(await causeway(org('hooli'), env)).toMatchObject({ code: 0, err: '' });
    expect(await causeway(tenant('hooli/hooli-shop', '--json'), env)).toMatchObject({
      code: 0,
      out: '{"tenant":{"id":"hooli-shop","org_id":"hooli","name":"Initech shop"}}\n',
    });
    expect(await causeway(org('hooli'), env)).toMatchObject({
      code: 1,
      err: `${url} answered 409: Organisation hooli exists already.\n`,
    });
    expect((await causeway(tenant('nobody/shop'), env)).err).toContain('There is no organisation nobody.');
    expect((await causeway(tenant('hooli/Shop'), env)).err).toContain('\n  Use a lowercase letter');
    const admin = { ...env, CAUSEWAY_TOKEN: await api.token({ roles: ['admin'] }) };
    expect((await causeway(org('umbrella'), admin)).err).toContain('The token needs the role operator.');
  });
});

test.for([
  [['org', 'create'], 'Name one organisation by its id'],
  [['org', 'create', 'acme'], '--name'],
  [['tenant', 'create', 'acme-shop', '--name', 'Shop'], 'Name one tenant as <org>/<id>'],
] as const)('%j is wrong usage', async ([argv, message]) => {
  expect(await causeway([...argv])).toMatchObject({ code: 2, err: expect.stringContaining(message) });
});

test.each([
  ['postgres://hub@127.0.0.1:1/hub', 1, /^The database at 127\.0\.0\.1:1, which DATABASE_URL names, cannot be used: /],
  ['nope', 2, /^The environment is invalid\. DATABASE_URL: must be a URL such as postgres:/],
])('a command at DATABASE_URL=%s names the variable and ends', async (DATABASE_URL, code, sentence) => {
  for (const argv of [['migrate'], ['keys', 'status'], ['api-key', 'list', '--tenant', 'demo']]) {
    expect(await causeway(argv, { DATABASE_URL })).toMatchObject({ code, err: expect.stringMatching(sentence) });
  }
});

test('a command warns of a variable that looks like a misspelt setting', async () => {
  expect((await causeway(['migrate'], { DATABASE_ULR: 'x', DATABASE_URL: 'nope' })).err).toMatch(
    /^DATABASE_ULR is not a setting and has no effect\. Did you mean DATABASE_URL\?\n/,
  );
});

test('--version prints the version of package.json', async () => {
  const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
  expect(await causeway(['--version'], {})).toEqual({ code: 0, out: `causeway ${version}\n`, err: '' });
  expect(JSON.parse((await causeway(['--version', '--json'], {})).out)).toEqual({ version });
});
