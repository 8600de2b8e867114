import { afterAll, describe, expect } from 'vitest';
import { StoredCredentialBroker } from '#src/automation/credentials/credential-broker.service.ts';
import { readCredential } from '#src/automation/credentials/credentials.store.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { OutageError } from '#src/infra/postgres/outages.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import { type OAuthWorld, startOAuthWorld } from './oauth/connect.ts';

let world: OAuthWorld;
test.beforeAll(async ({ api }) => {
  world = await startOAuthWorld(api);
});
afterAll(() => world.close());

const tenantId = 'acme-shop';
const fields = [{ key: 'credential', types: ['core:oauth2'] }];
const tokenFor = (id: number): Promise<unknown> =>
  new StoredCredentialBroker(world.api.deps, { tenantId, fields, config: { credential: id } }).field(
    'credential',
    'access_token',
  );

describe('a node whose token is being refreshed', () => {
  test('gets an error that says to choose another credential if its own is deleted meanwhile', async () => {
    const id = await world.connect();
    await world.endAccessToken(id);
    const before = world.provider.tokenRequests;
    const letIn = world.provider.hold();
    const asked = tokenFor(id).catch((error: unknown) => error);
    await expect.poll(() => world.provider.tokenRequests).toBe(before + 1);
    await call(world.api, 'DELETE', `/credentials/${id}`);
    letIn();
    expect(await asked).toMatchObject({
      code: 'CREDENTIAL_NOT_FOUND',
      message: `There is no credential ${id}. Choose another one in the node's config.`,
      retryable: false,
    });
  });

  test('gets the same error as later nodes if the grant turns out to be revoked', async () => {
    const id = await world.connect();
    const { grant, name } = (await readCredential(world.api.deps, tenantId, BigInt(id))) ?? {};
    await world.provider.revoke(String(grant?.['access_token']));
    await world.endAccessToken(id);
    const told = {
      code: 'CREDENTIAL_REVOKED',
      message: `The credential "${name}" was revoked by its provider. Reconnect it, then try again.`,
      retryable: false,
    };
    const before = world.provider.tokenRequests;
    await expect(tokenFor(id)).rejects.toMatchObject(told);
    await expect(tokenFor(id)).rejects.toMatchObject(told);
    expect(world.provider.tokenRequests).toBe(before + 1);
  });
});

test('a node that asks again after an outage gets its credential', async () => {
  const id = await world.connect();
  const { deps } = world.api;
  let isAway = true;
  const tenantQuery: Database['tenantQuery'] = async (...asked) => {
    if (isAway) throw new OutageError('away');
    return deps.database.tenantQuery(...asked);
  };
  const flaky = { ...deps, database: { ...deps.database, tenantQuery } };
  const broker = new StoredCredentialBroker(flaky, { tenantId, fields, config: { credential: id } });
  await expect(broker.open('credential')).rejects.toThrow('away');
  isAway = false;
  expect(await broker.open('credential')).toMatchObject({ type: 'core:oauth2' });
});
