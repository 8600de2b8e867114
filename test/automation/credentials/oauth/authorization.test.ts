import pg from 'pg';
import { afterAll, describe, expect } from 'vitest';
import { readCredential } from '#src/automation/credentials/credentials.store.ts';
import { sweepStates } from '#src/automation/credentials/oauth/oauth-states.store.ts';
import { accessToken } from '#src/automation/credentials/oauth/token-refresh.service.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import { type OAuthWorld, redirectUri, startOAuthWorld } from './connect.ts';

let world: OAuthWorld;
test.beforeAll(async ({ api }) => {
  world = await startOAuthWorld(api);
});
afterAll(async () => {
  await world.close();
});

const tenantId = 'acme-shop';
const invalid = { status: 400, body: { message: 'Invalid or expired OAuth state.' } };
const stored = (id: number) => readCredential(world.api.deps, tenantId, BigInt(id));

const rows = async (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
  (await world.api.database.tenantQuery(tenantId, { text, values })) as never;

describe('an authorisation', () => {
  test('sends the user to the provider with PKCE and a state that is not stored in clear', async () => {
    const id = await world.create();
    const url = new URL(await world.authorizeUrl(id));
    expect(url.origin + url.pathname).toBe(`${world.provider.issuer}/auth`);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      prompt: 'consent',
      response_type: 'code',
      client_id: 'first',
      redirect_uri: redirectUri,
      scope: 'openid offline_access',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[\w-]{43}$/),
    });
    const state = String(url.searchParams.get('state'));
    const kept = JSON.stringify(await rows('SELECT t::text FROM oauth_states t WHERE credential_id = $1', [id]));
    expect(kept).toContain('acme-shop');
    for (const form of [state, Buffer.from(state).toString('hex'), Buffer.from(state, 'base64url').toString('hex')]) {
      expect(kept).not.toContain(form);
    }
  });

  test('connects the credential, and the provider accepts its access token', async () => {
    const id = await world.create();
    expect(await world.status(id)).toBe('pending');
    const answer = await world.callback(await world.granted(id));
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({ status: 'connected', credential_id: id });
    expect(await world.status(id)).toBe('active');
    const token = await accessToken(world.api.deps, tenantId, BigInt(id));
    const me = await fetch(`${world.provider.issuer}/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(await me.json()).toEqual({ sub: 'ada' });
    const audited = await rows(
      `SELECT actor_sub, via_system, channel, metadata FROM audit_entries
       WHERE resource_type = 'credential' AND resource_id = $1 AND action = 'update'`,
      [String(id)],
    );
    expect(audited).toEqual([
      { actor_sub: 'test-admin', via_system: false, channel: 'api', metadata: { oauth: 'connected' } },
    ]);
  });

  test('may be repeated, and the new grant replaces the old one', async () => {
    const id = await world.connect();
    const before = await stored(id);
    expect((await world.callback(await world.granted(id))).status).toBe(200);
    const after = await stored(id);
    expect(after?.grantVersion).toBe((before?.grantVersion ?? 0) + 1);
    expect(after?.grant?.['access_token']).not.toBe(before?.grant?.['access_token']);
  });

  test('can be started only by admins, for their own tenant and for OAuth types', async () => {
    const id = await world.create();
    const path = `/credentials/${id}/oauth/authorize-url`;
    expect(await call(world.api, 'POST', path, { as: { roles: ['user'] } })).toMatchObject({ status: 403 });
    expect(await call(world.api, 'POST', path, { as: { tenant: 'acme-outlet' } })).toMatchObject({ status: 404 });
    expect(await call(world.api, 'POST', '/credentials/999999/oauth/authorize-url')).toMatchObject({ status: 404 });
    const body = { credential_type_slug: 'core:bearer', name: 'A bearer', config: { token: 'bearer-canary' } };
    const bearer = (await call(world.api, 'POST', '/credentials', { body })).body['id'];
    expect(await call(world.api, 'POST', `/credentials/${bearer}/oauth/authorize-url`)).toMatchObject({
      status: 422,
      body: { message: 'Credential type does not use 3-legged OAuth.' },
    });
  });

  test('keeps the newest twenty states of a credential open', async () => {
    const id = await world.create();
    const first = await world.granted(id);
    for (let begun = 0; begun < 24; begun += 1) await world.authorizeUrl(id);
    expect(await rows('SELECT count(*) FROM oauth_states WHERE credential_id = $1', [id])).toEqual([{ count: 20 }]);
    expect(await world.callback(first)).toMatchObject(invalid);
  });
});

describe('a callback', () => {
  test('without a state, with one that is malformed, repeated or unknown, is refused', async () => {
    const id = await world.create();
    const good = await world.granted(id);
    const state = String(good.get('state'));
    const code = String(good.get('code'));
    const wrong = [
      '',
      `code=${code}`,
      `code=${code}&state=`,
      `code=${code}&state=short`,
      `code=${code}&state=${state}x`,
      `code=${code}&state=${state}%00`,
      `code=${code}&state=${'A'.repeat(43)}`,
      `code=${code}&state=${state.toLowerCase()}`,
      `code=${code}&state=${state}&state=${state}`,
      `code=${code}&state[a]=${state}`,
      `code=${code}&__proto__[state]=${state}`,
      `code=${code}&state=%F0%28%8C%28`,
    ];
    const before = world.provider.tokenRequests;
    for (const query of wrong) expect({ query, ...(await world.callback(query)) }).toMatchObject({ query, ...invalid });
    expect(world.provider.tokenRequests).toBe(before);
    expect(await world.status(id)).toBe('pending');
    // None of them used the right one up.
    expect((await world.callback(good)).status).toBe(200);
  });

  test('with a used state is refused, and changes nothing', async () => {
    const id = await world.create();
    const good = await world.granted(id);
    expect((await world.callback(good)).status).toBe(200);
    const { grantVersion } = (await stored(id)) ?? {};
    expect(await world.callback(good)).toMatchObject(invalid);
    expect((await stored(id))?.grantVersion).toBe(grantVersion);
  });

  test('with an expired state is refused; the sweep then deletes it', async () => {
    const id = await world.create();
    const good = await world.granted(id);
    await expireStates(id);
    expect(await world.callback(good)).toMatchObject(invalid);
    expect(await rows('SELECT 1 AS one FROM oauth_states WHERE credential_id = $1', [id])).toEqual([{ one: 1 }]);
    expect(await sweepStates(world.api.deps)).toBe(false);
    expect(await rows('SELECT 1 AS one FROM oauth_states WHERE credential_id = $1', [id])).toEqual([]);
  });

  test('that arrives twenty times concurrently, in two processes, succeeds once', async ({ startBeside }) => {
    const id = await world.create();
    const good = await world.granted(id);
    const other = await startBeside();
    other.egressAllow.add(world.provider.host);
    const before = world.provider.tokenRequests;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        call(index % 2 === 0 ? world.api : other, 'GET', `/credentials/oauth/callback?${good}`, {
          as: { bearer: null, tenant: null },
        }),
      ),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 400)]);
    expect(world.provider.tokenRequests).toBe(before + 1);
    expect((await stored(id))?.grantVersion).toBe(1);
  });

  test('from another issuer is refused, and consumes the state', async () => {
    const id = await world.create();
    const good = await world.granted(id);
    expect(good.get('iss')).toBe(world.provider.issuer);
    const evil = new URLSearchParams(good);
    evil.set('iss', 'https://evil.example');
    const before = world.provider.tokenRequests;
    expect(await world.callback(evil)).toMatchObject(invalid);
    expect(await world.callback(good)).toMatchObject(invalid);
    expect(world.provider.tokenRequests).toBe(before);
    expect(await world.status(id)).toBe('pending');
  });

  test('must come from the configured issuer, if there is one', async () => {
    const right = await world.create({ ...world.provider.config(), issuer: world.provider.issuer });
    expect((await world.callback(await world.granted(right))).status).toBe(200);
    const wrong = await world.create({ ...world.provider.config(), issuer: `${world.provider.issuer}/realm` });
    expect(await world.callback(await world.granted(wrong))).toMatchObject(invalid);
    expect(await world.status(wrong)).toBe('pending');
  });

  test('with a code of another authorisation or credential is refused by PKCE', async () => {
    const [one, other] = [await world.create(), await world.create()];
    const [good, another] = [await world.granted(one), await world.granted(other)];
    good.set('code', String(another.get('code')));
    expect(await world.callback(good)).toMatchObject(invalid);
    expect([await world.status(one), await world.status(other)]).toEqual(['pending', 'pending']);
    const second = await world.create(world.provider.config('second'));
    const mixed = await world.granted(second);
    mixed.set('code', String((await world.granted(one)).get('code')));
    expect(await world.callback(mixed)).toMatchObject(invalid);
    expect(await world.status(second)).toBe('pending');
  });

  test('without a code, with an invented one, or with an error of the provider is refused, and consumes the state', async () => {
    for (const change of [
      (query: URLSearchParams) => query.delete('code'),
      (query: URLSearchParams) => query.append('code', 'again'),
      (query: URLSearchParams) => query.set('code', 'made-up'),
      (query: URLSearchParams) => query.set('error', 'access_denied'),
    ]) {
      const id = await world.create();
      const good = await world.granted(id);
      const changed = new URLSearchParams(good);
      change(changed);
      expect(await world.callback(changed)).toMatchObject(invalid);
      expect(await world.callback(good)).toMatchObject(invalid);
      expect(await world.status(id)).toBe('pending');
    }
  });

  test('is refused if the credential has another client by now, or was deleted', async () => {
    const id = await world.create();
    const good = await world.granted(id);
    const config = world.provider.config('second');
    expect((await call(world.api, 'PATCH', `/credentials/${id}`, { body: { config } })).status).toBe(200);
    expect(await world.callback(good)).toMatchObject(invalid);
    const gone = await world.create();
    const late = await world.granted(gone);
    expect((await call(world.api, 'DELETE', `/credentials/${gone}`)).status).toBe(204);
    expect(await world.callback(late)).toMatchObject(invalid);
  });

  test('during an outage of the provider asks to start again, and connects nothing', async () => {
    for (const mode of ['down', 'failing', 'busy'] as const) {
      const id = await world.create();
      const good = await world.granted(id);
      world.provider.mode = mode;
      const answer = await world.callback(good);
      world.provider.mode = 'up';
      expect(answer).toMatchObject({ status: 503, body: { message: expect.stringContaining('again') } });
      expect(await world.callback(good)).toMatchObject(invalid);
      expect(await world.status(id)).toBe('pending');
      expect((await world.callback(await world.granted(id))).status).toBe(200);
    }
  });

  test('with a wrong client secret says what to check', async () => {
    const id = await world.create({ ...world.provider.config(), client_secret: 'wrong-secret-canary' });
    expect(await world.callback(await world.granted(id))).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('invalid_client') },
    });
    expect(await world.status(id)).toBe('pending');
  });

  test('does nothing on a HEAD request', async () => {
    const id = await world.create();
    const good = await world.granted(id);
    expect(await world.callback(good, 'HEAD')).toMatchObject({ status: 405, headers: { allow: 'GET' } });
    expect(await world.callback(good, 'POST')).toMatchObject({ status: 405 });
    expect((await world.callback(good)).status).toBe(200);
  });

  test('may be sent to the graph', async () => {
    const id = await world.create();
    const { code, state, iss } = Object.fromEntries(await world.granted(id));
    const { data } = await world.api.graphql<{ completeAuthorization: object }>(
      `mutation ($input: CompleteAuthorizationInput!) {
        completeAuthorization(input: $input) { ... on CompleteAuthorizationPayload { status credentialDatabaseId } }
      }`,
      { input: { outcome: { code }, state, iss } },
      { bearer: null, tenant: null },
    );
    expect(data.completeAuthorization).toEqual({ status: 'connected', credentialDatabaseId: id });
  });

  test.each([{}, { code: 'a', error: 'b' }, { code: null }])(
    'through the graph takes exactly one of code and error: not %j',
    async (outcome) => {
      const { errors } = await world.api.graphql(
        'mutation ($input: CompleteAuthorizationInput!) { completeAuthorization(input: $input) { __typename } }',
        { input: { outcome, state: 's' } },
        { bearer: null, tenant: null },
      );
      expect(errors).toMatchObject([
        { message: expect.stringContaining('input.outcome'), extensions: { code: 'BAD_REQUEST' } },
      ]);
    },
  );
});

describe('secrets', () => {
  test('appear in no log line, audit row or event', async () => {
    const id = await world.create();
    const good = await world.granted(id);
    expect((await world.callback(good)).status).toBe(200);
    const grant = (await stored(id))?.grant ?? {};
    const secrets = [
      'first-client-secret-canary',
      'wrong-secret-canary',
      String(grant['access_token']),
      String(grant['refresh_token']),
      String(good.get('code')),
      String(good.get('state')),
    ];
    const told = [
      ...world.api.logLines,
      JSON.stringify(await rows('SELECT a::text FROM audit_entries a')),
      JSON.stringify((await world.api.database.system.query('SELECT e::text FROM outbox_events e')).rows),
    ].join('\n');
    expect(secrets.every((secret) => secret.length > 10)).toBe(true);
    for (const secret of secrets) expect(told).not.toContain(secret);
  });
});

/** As the owner of the table, because the application may not. */
async function expireStates(id: number): Promise<void> {
  const owner = new pg.Client({ connectionString: world.api.databaseUrl });
  await owner.connect();
  await owner.query('UPDATE oauth_states SET expires_at = now() WHERE credential_id = $1', [id]);
  await owner.end();
}
