import { readCredential, sealGrant } from '#src/automation/credentials/credentials.store.ts';
import { registerBuiltinPackages } from '#src/automation/packages/builtin-packages.service.ts';
import { call, type RestAnswer } from '#test/rest-compat/rest.ts';
import type { TestApp } from '#test/setup/app.ts';
import { startTestProvider, type TestProvider } from '#test/setup/oidc-provider.ts';

export const redirectUri = 'http://localhost/api/v1/credentials/oauth/callback';

export interface OAuthWorld {
  api: TestApp;
  provider: TestProvider;
  /** Creates a credential of `core:oauth2` and returns its id. */
  create: (config?: Record<string, string>) => Promise<number>;
  /** Begins its authorisation. */
  authorizeUrl: (id: number) => Promise<string>;
  /** The query with which a user's browser returns after granting access. */
  granted: (id: number) => Promise<URLSearchParams>;
  /** Calls the callback as a browser does: without a token. */
  callback: (query: URLSearchParams | string, method?: string) => Promise<RestAnswer>;
  /** A credential with a grant. */
  connect: (config?: Record<string, string>) => Promise<number>;
  status: (id: number) => Promise<string>;
  /** Makes its access token one that ended a minute ago, as if time had passed. */
  endAccessToken: (id: number) => Promise<void>;
  close: () => Promise<void>;
}

export async function startOAuthWorld(api: TestApp): Promise<OAuthWorld> {
  await registerBuiltinPackages(api.deps);
  const provider = await startTestProvider({ redirectUri });
  api.egressAllow.add(provider.host);
  let made = 0;

  const create: OAuthWorld['create'] = async (config = provider.config()) => {
    made += 1;
    const body = { credential_type_slug: 'core:oauth2', name: `Shop ${made}`, config };
    const answer = await call(api, 'POST', '/credentials', { body });
    if (answer.status !== 201) throw new Error(answer.text);
    return Number(answer.body['id']);
  };
  const authorizeUrl: OAuthWorld['authorizeUrl'] = async (id) => {
    const answer = await call(api, 'POST', `/credentials/${id}/oauth/authorize-url`);
    if (answer.status !== 200) throw new Error(answer.text);
    return String(answer.body['authorize_url']);
  };
  const granted: OAuthWorld['granted'] = async (id) => (await provider.authorize(await authorizeUrl(id))).searchParams;
  const callback: OAuthWorld['callback'] = (query, method = 'GET') =>
    call(api, method, `/credentials/oauth/callback?${String(query)}`, { as: { bearer: null, tenant: null } });
  return {
    api,
    provider,
    create,
    authorizeUrl,
    granted,
    callback,
    async connect(config) {
      const id = await create(config);
      const answer = await callback(await granted(id));
      if (answer.status !== 200) throw new Error(answer.text);
      return id;
    },
    status: async (id) => String((await call(api, 'GET', `/credentials/${id}`)).body['status']),
    async endAccessToken(id) {
      const key = { tenantId: 'acme-shop', id: BigInt(id) };
      const { grant } = (await readCredential(api.deps, key.tenantId, key.id)) ?? {};
      const ended = new Date(Date.now() - 60_000);
      await api.database.withTenant(key.tenantId, async (tx) => {
        const sealed = await sealGrant(api.deps, tx, key, { ...grant, expires_at: ended.toISOString() });
        await tx.credential.update({
          where: { tenantId_id: key },
          data: { ...sealed, refreshAt: ended },
          select: { id: true },
        });
      });
    },
    close: () => provider.close(),
  };
}
