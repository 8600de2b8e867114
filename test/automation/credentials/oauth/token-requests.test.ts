import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { OAuthClient } from '#src/automation/credentials/oauth/oauth-client.rules.ts';
import { refreshTokens } from '#src/automation/credentials/oauth/token-requests.service.ts';
import { egressTo, serve } from '#test/infra/egress/loopback-server.ts';

const clientAt = (tokenUrl: string, more: Partial<OAuthClient> = {}): OAuthClient => ({
  grantType: 'authorization_code',
  discoveryUrl: null,
  authorizeUrl: 'https://id.example.com/authorize',
  tokenUrl,
  issuer: null,
  clientId: 'us & them',
  clientSecret: 'p:ä+ss',
  scopes: '',
  clientAuthentication: 'basic',
  user: null,
  audience: null,
  resource: null,
  ...more,
});

interface Seen {
  authorization: string | undefined;
  form: Record<string, string>;
}

/** A token endpoint that answers as told, and what it saw. */
async function endpoint(answer: (response: ServerResponse) => void) {
  const seen: Seen[] = [];
  const server = await serve((request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
      seen.push({ authorization: request.headers.authorization, form });
      answer(response);
    });
  });
  const refresh = (more: Partial<OAuthClient> = {}) =>
    refreshTokens({ egress: egressTo([server]) }, clientAt(`${server.url}/token`, more), 'refresh-1');
  return { seen, server, refresh };
}

const says =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse) => {
    const isText = typeof body === 'string';
    response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers });
    response.end(isText ? body : JSON.stringify(body));
  };

describe('a refresh request', () => {
  test('identifies the client by HTTP basic, in the form if configured so, and by its id alone without a secret', async () => {
    const { seen, refresh } = await endpoint(says(200, { access_token: 'a', expires_in: 60 }));
    expect(await refresh()).toMatchObject({ kind: 'granted', tokens: { access_token: 'a' } });
    await refresh({ clientAuthentication: 'post' });
    await refresh({ clientSecret: null });
    const [basic, post, bare] = seen;
    const [, pair = ''] = /^Basic (.+)$/.exec(basic?.authorization ?? '') ?? [];
    const parts = Buffer.from(pair, 'base64').toString().split(':');
    expect(parts.map((part) => decodeURIComponent(part.replaceAll('+', ' ')))).toEqual(['us & them', 'p:ä+ss']);
    expect(basic?.form).toEqual({ grant_type: 'refresh_token', refresh_token: 'refresh-1' });
    expect(post).toMatchObject({ authorization: undefined, form: { client_id: 'us & them', client_secret: 'p:ä+ss' } });
    expect(bare?.form).toMatchObject({ client_id: 'us & them' });
    expect(bare?.form).not.toHaveProperty('client_secret');
  });

  test.each<[string, (response: ServerResponse) => void, object]>([
    ['invalid_grant', says(400, { error: 'invalid_grant' }), { kind: 'refused', error: 'invalid_grant' }],
    [
      'invalid_grant beside a challenge',
      says(401, { error: 'invalid_grant' }, { 'www-authenticate': 'Basic realm="x"' }),
      { kind: 'refused', error: 'invalid_grant' },
    ],
    ['a refusal with status 200', says(200, { error: 'bad_refresh_token' }), { kind: 'refused' }],
    ['invalid_client', says(401, { error: 'invalid_client' }), { kind: 'misconfigured' }],
    ['an error of its own', says(400, { error: 'weird_code' }), { kind: 'misconfigured' }],
    ['an error that is not a code', says(400, { error: 'your token refresh-1 is bad' }), { kind: 'misconfigured' }],
    ['a moment to wait', says(400, { error: 'temporarily_unavailable' }), { kind: 'unavailable' }],
    ['429 with an error', says(429, { error: 'invalid_grant' }), { kind: 'unavailable' }],
    ['503 with an error', says(503, { error: 'invalid_grant' }), { kind: 'unavailable' }],
    ['a page', says(200, '<html>Sign in</html>'), { kind: 'unavailable' }],
    ['a page with 400', says(400, 'invalid_grant'), { kind: 'unavailable' }],
    ['a redirect', says(307, '', { location: 'https://elsewhere.example/' }), { kind: 'unavailable' }],
    ['no content', (response) => response.writeHead(204).end(), { kind: 'unavailable' }],
    ['a status of its own', says(799, { error: 'invalid_grant' }), { kind: 'unavailable' }],
    [
      'tokens of a type that needs a proof',
      says(200, { access_token: 'a', token_type: 'mac' }),
      { kind: 'unavailable' },
    ],
    ['too much', says(200, { access_token: 'a'.repeat(300_000) }), { kind: 'unavailable' }],
    ['half an answer', (response) => response.socket?.destroy(), { kind: 'unavailable' }],
    [
      'an id token of nobody',
      says(200, { access_token: 'a', id_token: 'x.y.z', token_type: 'Bearer' }),
      { kind: 'granted' },
    ],
  ])('that is answered with %s is judged so, and sent once', async (_what, answer, expected) => {
    const { seen, refresh } = await endpoint(answer);
    const outcome = await refresh();
    expect(outcome).toMatchObject(expected);
    expect(JSON.stringify(outcome)).not.toContain('refresh-1');
    expect(seen).toHaveLength(1);
  });

  test('goes to no private address and not over plain HTTP, unless allowed', async () => {
    const { seen, server } = await endpoint(says(200, { access_token: 'a' }));
    const egress = egressTo([]);
    for (const url of [`${server.url}/token`, 'http://id.example.com/token', `https://127.0.0.1:${server.port}/`]) {
      const outcome = await refreshTokens({ egress }, clientAt(url), 'refresh-1');
      expect(outcome).toMatchObject({ kind: 'misconfigured' });
    }
    expect(seen).toHaveLength(0);
  });
});
