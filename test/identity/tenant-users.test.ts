import { expect } from 'vitest';
import { createUserRecorder } from '#src/identity/tenant-users.service.ts';
import type { Identity } from '#src/identity/tokens.ts';
import { test } from '#test/setup/app-test.ts';

const identity = (roles: string[], issuedAt: number): Identity => ({
  iss: 'iss',
  sub: 'sub',
  aud: [],
  email: null,
  name: null,
  orgId: 'acme',
  tenants: null,
  tenantId: null,
  roles,
  issuedAt,
  expiresAt: issuedAt + 1,
});

test('the newest token of a user says which roles the user has in a tenant, in whatever order and process they come', async ({
  api,
}) => {
  const [here, there] = [createUserRecorder(api.database), createUserRecorder(api.database)];
  const readRoles = async () => {
    const rows = await api.database.tenantQuery<{ roles: string[] }>('acme-shop', {
      text: 'SELECT roles FROM tenant_users WHERE user_id = 99',
    });
    return rows.map(({ roles }) => roles);
  };
  await here(identity(['user', 'admin', 'user'], 2_000), 99n, 'acme-shop');
  expect(await readRoles()).toEqual([['admin', 'user']]);
  await here(identity([], 1_000), 99n, 'acme-shop');
  await there(identity([], 1_000), 99n, 'acme-shop');
  expect(await readRoles()).toEqual([['admin', 'user']]);
  await there(identity([], 3_000), 99n, 'acme-shop');
  expect(await readRoles()).toEqual([[]]);
  await here(identity(['user'], 4_000), 99n, 'acme-shop');
  expect(await readRoles()).toEqual([['user']]);
  await there(identity([], 5_000), 99n, 'acme-shop');
  await here(identity(['user'], 6_000), 99n, 'acme-shop');
  expect(await readRoles()).toEqual([['user']]);
});
