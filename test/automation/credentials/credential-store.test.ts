import { expect } from 'vitest';
import {
  lockCredential,
  nextCredentialId,
  readCredential,
  sealConfig,
  sealGrant,
} from '#src/automation/credentials/credentials.store.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const tenantId = 'acme-shop';

async function store(name: string, config: object, publicConfig: object, grant?: object): Promise<bigint> {
  const { deps } = api;
  return deps.database.withTenant(tenantId, async (tx) => {
    const id = await nextCredentialId(tx);
    const key = { tenantId, id };
    const sealed = {
      ...(await sealConfig(deps, tx, key, config)),
      ...(grant && (await sealGrant(deps, tx, key, grant))),
    };
    await tx.credential.create({ data: { ...key, credentialTypeSlug: 'core:basic', name, publicConfig, ...sealed } });
    return id;
  });
}

test('decrypts config and grant, whichever data key each was encrypted with', async () => {
  const id = await store('both', { username: 'u', password: 'canary-pass' }, { username: 'u' });
  await api.deps.database.withTenant(tenantId, async (tx) => {
    await api.deps.vault.addDataKey(tx, 'credentials', tenantId);
    const grant = await sealGrant(api.deps, tx, { tenantId, id }, { access_token: 'canary-token', scope: 'all' });
    await tx.credential.update({ where: { tenantId_id: { tenantId, id } }, data: grant });
  });
  const opened = await readCredential(api.deps, tenantId, id);
  expect(opened).toMatchObject({
    id,
    typeSlug: 'core:basic',
    name: 'both',
    status: 'active',
    config: { username: 'u', password: 'canary-pass' },
    publicConfig: { username: 'u' },
    grant: { access_token: 'canary-token', scope: 'all' },
    grantVersion: 0,
    refreshAt: null,
    expiresAt: null,
  });
  const locked = await api.deps.database.withTenant(tenantId, (tx) => lockCredential(api.deps, tx, tenantId, id));
  expect(locked).toEqual(opened);
});

test('registers every secret, but no public value, with the redactor', async () => {
  const id = await store(
    'told',
    { username: 'shown-user', password: 'canary-4711' },
    { username: 'shown-user' },
    {
      refresh_token: 'canary-refresh',
      token_type: 'Bearer',
    },
  );
  await readCredential(api.deps, tenantId, id);
  const text = api.deps.redactor.text('shown-user canary-4711 canary-refresh Bearer');
  expect(text).toBe('shown-user [redacted] [redacted] Bearer');
});

test('finds no credential of another tenant', async () => {
  const id = await store('ours', { password: 'x' }, {});
  expect(await readCredential(api.deps, 'acme-outlet', id)).toBeUndefined();
  expect(await readCredential(api.deps, tenantId, id)).toBeDefined();
});

test('does not open a ciphertext that was moved to another credential', async () => {
  const from = await store('from', { password: 'x' }, {});
  const to = await store('to', { password: 'y' }, {});
  await api.deps.database.withTenant(
    tenantId,
    (tx) =>
      tx.$executeRaw`UPDATE credentials t SET config = f.config, config_key_version = f.config_key_version
      FROM credentials f WHERE t.tenant_id = ${tenantId} AND f.tenant_id = t.tenant_id AND t.id = ${to} AND f.id = ${from}`,
  );
  await expect(readCredential(api.deps, tenantId, to)).rejects.toThrow(/cannot be opened/);
});
