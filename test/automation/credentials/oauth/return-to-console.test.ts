import { afterAll, expect } from 'vitest';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import { type OAuthWorld, startOAuthWorld } from './connect.ts';

let world: OAuthWorld;
test.beforeAll(async ({ api }) => {
  world = await startOAuthWorld(api);
});
afterAll(async () => {
  await world.close();
});

const complete = `mutation ($input: CompleteAuthorizationInput!) {
  completeAuthorization(input: $input) {
    ... on CompleteAuthorizationPayload { credentialDatabaseId }
    ... on Error { code message }
  }
}`;

/** The query with which the provider sends the browser of a user back, who began in the console. */
async function granted(id: number): Promise<URLSearchParams> {
  const { data } = await world.api.graphql<{ createAuthorizeUrl: { authorizeUrl: string } }>(
    `mutation ($id: ID!) {
      createAuthorizeUrl(input: { credentialId: $id, returnToConsole: true }) {
        ... on CreateAuthorizeUrlPayload { authorizeUrl }
      }
    }`,
    { id: btoa(`Credential:${id}`) },
  );
  return (await world.provider.authorize(data.createAuthorizeUrl.authorizeUrl)).searchParams;
}

test('an authorisation that the console began returns there, and is completed there', async () => {
  const id = await world.create();
  const answer = await world.callback(await granted(id));
  expect(answer.status).toBe(303);
  const location = new URL(String(answer.headers['location']));
  expect(location.origin + location.pathname).toBe(
    `${new URL(world.api.deps.publicUrl).origin}/console/t/acme-shop/credentials/authorized`,
  );
  expect(await world.status(id)).toBe('pending');
  const { oauth_state: state, oauth_code: code, oauth_iss: iss } = Object.fromEntries(location.searchParams);
  const { data } = await world.api.graphql(complete, { input: { state, iss, outcome: { code } } });
  expect(data).toEqual({ completeAuthorization: { credentialDatabaseId: id } });
  expect(await world.status(id)).toBe('active');
});

test('a provider that grants nothing leads back to the console too', async () => {
  const id = await world.create();
  const query = await granted(id);
  const answer = await world.callback(`error=access_denied&state=${query.get('state')}`);
  expect(new URL(String(answer.headers['location'])).searchParams.get('oauth_error')).toBe('access_denied');
});

test('a state that names a tenant leads nowhere else than to the console of this server', async () => {
  const random = 'a'.repeat(43);
  for (const tenant of ['acme-shop%2F..%2F..', '//evil.example', 'acme-shop?x', 'Acme', 'a.b'])
    expect(
      await call(world.api, 'GET', `/credentials/oauth/callback?code=x&state=console.${tenant}.${random}`, {
        as: { bearer: null, tenant: null },
      }),
      tenant,
    ).toMatchObject({ status: 400 });
});
