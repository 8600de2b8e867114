import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** A real OAuth provider on loopback, whose users sign in and consent by code. */
export interface TestProvider {
  issuer: string;
  /** `host:port`, for the egress allow list. */
  host: string;
  /** A config for `core:oauth2` of a client that is registered with it. */
  config: (client?: 'first' | 'second' | 'machine') => Record<string, string>;
  /** How many requests reached the token endpoint. */
  tokenRequests: number;
  /** How the token endpoint behaves: as it should, answering 503 or 429, or cutting the line. */
  mode: 'up' | 'failing' | 'busy' | 'down';
  /** Lets the next token request wait at the door; answers how to let it in. */
  hold: () => () => void;
  /** Follows an authorize URL as a browser does, signing in and consenting, and answers where it is sent back to. */
  authorize: (authorizeUrl: string) => Promise<URL>;
  /** Takes the grant of an access token back, as a user does in their account. */
  revoke: (accessToken: string) => Promise<void>;
  /** Ends an access token before its time; its grant lasts. */
  endSession: (accessToken: string) => Promise<void>;
  close: () => Promise<void>;
}

const secrets = { first: 'first-client-secret-canary', second: 'second-client-secret-canary' };
/** The secret of a client that no user authorises. */
const machineSecret = 'machine-client-secret-canary';

/** Access tokens last an hour; refresh tokens rotate, and are good once. */
export async function startTestProvider(options: { redirectUri: string }): Promise<TestProvider> {
  // The provider has to know its own address before it can be made.
  const route: { answer: (request: IncomingMessage, response: ServerResponse) => void } = { answer: () => undefined };
  const server = createServer((request, response) => route.answer(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `http://${host}`;
  const provider = quietly(() => makeProvider(issuer, options.redirectUri));
  const handle = provider.callback();

  const state: Pick<TestProvider, 'tokenRequests' | 'mode'> = { tokenRequests: 0, mode: 'up' };
  let held: Promise<void> | undefined;
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', issuer);
    if (pathname.startsWith('/interaction/')) return interact(provider, request, response);
    if (pathname === '/token') {
      state.tokenRequests += 1;
      const door = held;
      held = undefined;
      if (state.mode === 'down') return void request.socket.destroy();
      if (state.mode === 'failing') return void response.writeHead(503).end('{"error":"invalid_grant"}');
      if (state.mode === 'busy') {
        return void response.writeHead(429, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}');
      }
      await door;
    }
    return handle(request, response);
  }
  route.answer = (request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error));
  };

  return Object.assign(state, {
    issuer,
    host,
    config: (client: 'first' | 'second' | 'machine' = 'first'): Record<string, string> =>
      client === 'machine'
        ? machineConfig(issuer)
        : {
            authorize_url: `${issuer}/auth?prompt=consent`,
            token_url: `${issuer}/token`,
            client_id: client,
            client_secret: secrets[client],
            scopes: 'openid offline_access',
          },
    authorize: (url: string) => browse(url, options.redirectUri),
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    async revoke(accessToken: string) {
      const token = await provider.AccessToken.find(accessToken);
      if (!token?.grantId) throw new Error('The provider knows no such token.');
      await provider.RefreshToken.revokeByGrantId(token.grantId);
      await provider.AccessToken.revokeByGrantId(token.grantId);
      await (await provider.Grant.find(token.grantId))?.destroy();
    },
    endSession: async (accessToken: string) => (await provider.AccessToken.find(accessToken))?.destroy(),
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  });
}

const machineConfig = (issuer: string): Record<string, string> => ({
  grant_type: 'client_credentials',
  token_url: `${issuer}/token`,
  client_id: 'machine',
  client_secret: machineSecret,
  client_authentication: 'post',
  scopes: 'orders',
});

function makeProvider(issuer: string, redirectUri: string) {
  return new Provider(issuer, {
    clients: [
      ...Object.entries(secrets).map(([id, secret]) => ({
        client_id: id,
        client_secret: secret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'] as ['code'],
        token_endpoint_auth_method: 'client_secret_basic' as const,
      })),
      {
        client_id: 'machine',
        client_secret: machineSecret,
        redirect_uris: [],
        grant_types: ['client_credentials'],
        response_types: [],
        token_endpoint_auth_method: 'client_secret_post',
        scope: 'orders',
      },
    ],
    scopes: ['openid', 'offline_access', 'orders'],
    features: { devInteractions: { enabled: false }, clientCredentials: { enabled: true } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    pkce: { required: () => true },
    rotateRefreshToken: true,
    ttl: {
      AccessToken: 3_600,
      ClientCredentials: 3_600,
      RefreshToken: 86_400,
      AuthorizationCode: 60,
      Grant: 86_400,
      Interaction: 600,
      Session: 600,
      IdToken: 600,
    },
    cookies: { keys: ['not-a-secret'] },
  });
}

/** Signs in, then consents to everything that was asked for. */
async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: 'ada' } });
  }
  const clientId = String(params['client_id']);
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const grant = known ?? new provider.Grant({ accountId: session?.accountId ?? 'ada', clientId });
  grant.addOIDCScope(String(params['scope']));
  const result = { consent: { grantId: await grant.save() } };
  return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
}

async function browse(from: string, redirectUri: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(from);
  for (let hop = 0; hop < 12; hop += 1) {
    if (url.href.startsWith(redirectUri)) return url;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`The provider stopped with ${response.status}: ${await response.text()}`);
    url = new URL(location, url);
  }
  throw new Error('The provider redirects without end.');
}

/** The provider advises against development settings on stdout and stderr; these are for tests. */
function quietly<T>(make: () => T): T {
  const { info, warn } = console;
  Object.assign(console, { info: () => undefined, warn: () => undefined });
  try {
    return make();
  } finally {
    Object.assign(console, { info, warn });
  }
}
