import { join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { devDiscovery, type DevIssuer } from '#src/identity/dev-issuer.ts';
import type { ClaimNames } from '#src/identity/tokens.ts';
import { AuthorizationCodes, type SignIn } from './authorization-codes.ts';
import {
  AuthorizationError,
  type AuthorizationRequest,
  type DevClient,
  readAuthorizationRequest,
  UnknownClientError,
  withQuery,
} from './authorization-request.ts';
import { RefreshTokens } from './refresh-tokens.ts';
import { type Choice, RememberedChoice } from './remembered-choice.ts';
import { devUsers, faultPage, type Place, signedOutPage, signInPage } from './sign-in-page.ts';
import { TokenGrants } from './token-grants.ts';

/** The sign-in of the development issuer; absent where OIDC_ISSUER names an identity provider. */
export interface DevSignIn {
  issuer: DevIssuer;
  clients: readonly DevClient[];
  claims: ClaimNames;
  dataDir: string;
}

const formLimit = 16_384;

interface AuthorizeMeans {
  codes: AuthorizationCodes;
  places: () => Promise<Place[]>;
  remembered: RememberedChoice;
}

/** Serves discovery, keys and the authorization code flow with PKCE of the development issuer. */
export async function serveDevSignIn(
  app: FastifyInstance,
  signIn: DevSignIn,
  places: () => Promise<Place[]>,
): Promise<void> {
  const { issuer, dataDir } = signIn;
  const codes = new AuthorizationCodes();
  const remembered = new RememberedChoice(issuer);
  const sessions = new RefreshTokens(join(dataDir, 'dev-oidc', 'sessions.json'));
  app.get('/dev/oidc/.well-known/openid-configuration', () => devDiscovery(issuer.issuer));
  app.get('/dev/oidc/jwks', () => issuer.jwks);
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: formLimit },
      (_request, body, done) => done(null, new URLSearchParams(body as string)),
    );
    serveAuthorize(scope, signIn, { codes, places, remembered });
    serveToken(scope, new TokenGrants(issuer, codes, sessions));
    serveEndSession(scope, signIn, { sessions, remembered });
  });
}

function serveAuthorize(app: FastifyInstance, signIn: DevSignIn, means: AuthorizeMeans): void {
  const { clients, issuer } = signIn;
  const { places, remembered } = means;
  app.get('/dev/oidc/authorize', async (request, reply) => {
    const query = readQuery(request.url);
    const asked = checkRequest(query, clients, reply);
    if (!asked) return reply;
    const isSilent = asked.prompt === 'none';
    // Any other prompt asks for the page.
    const choice = asked.prompt === undefined || isSilent ? await remembered.read(request.headers.cookie) : undefined;
    const all = await places();
    const claims = choice && chooseClaims(choice, all, signIn.claims);
    if (claims) return reply.redirect(returnAddress({ request: asked, claims }, means.codes, issuer), 303);
    if (!isSilent) return sendPage(reply, signInPage(query, all), asked.redirectUri);
    const message = 'Nobody has signed in from this browser yet, and prompt=none forbids to ask.';
    return reply.redirect(new AuthorizationError(asked, 'login_required', message).location, 303);
  });

  app.post('/dev/oidc/authorize', async (request, reply) => {
    const form = readForm(request.body);
    const choice = { role: form.get('role') ?? '', place: form.get('place') ?? '' };
    for (const name of ['role', 'place']) form.delete(name);
    const asked = checkRequest(form, clients, reply);
    if (!asked) return reply;
    const claims = chooseClaims(choice, await places(), signIn.claims);
    if (!claims) return sendPage(reply.code(400), faultPage('Choose a user and a tenant, and sign in again.'));
    return reply
      .header('set-cookie', await remembered.keep(choice))
      .redirect(returnAddress({ request: asked, claims }, means.codes, issuer), 303);
  });
}

/** The client's address with a new code for the sign-in. */
function returnAddress(signIn: SignIn, codes: AuthorizationCodes, { issuer: iss }: DevIssuer): string {
  const { redirectUri, state } = signIn.request;
  return withQuery(redirectUri, { code: codes.issue(signIn), state, iss });
}

/** The claims of the tokens; undefined if the role or the place does not exist. */
function chooseClaims(
  { role, place }: Choice,
  places: readonly Place[],
  names: ClaimNames,
): Record<string, unknown> | undefined {
  const user = devUsers.find((each) => each.role === role);
  const chosen = findPlace(places, place);
  if (!user || !chosen) return undefined;
  const sub = `dev-${user.role}`;
  return {
    sub,
    email: `${sub}@example.com`,
    name: user.label,
    [names.roles]: [user.role],
    [names.org]: chosen.orgId,
    ...(chosen.tenantId !== undefined && { [names.tenants]: [chosen.tenantId] }),
  };
}

function serveToken(app: FastifyInstance, grants: TokenGrants): void {
  app.post('/dev/oidc/token', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const answer = await grants.exchange(readForm(request.body));
    return 'error' in answer ? reply.code(400).send(answer) : answer;
  });
}

function serveEndSession(
  app: FastifyInstance,
  { issuer, clients }: DevSignIn,
  { sessions, remembered }: { sessions: RefreshTokens; remembered: RememberedChoice },
): void {
  app.get('/dev/oidc/end_session', async (request, reply) => {
    const query = readQuery(request.url);
    const hint = await issuer.readIdToken(query.get('id_token_hint') ?? '');
    if (hint) await sessions.end(hint.clientId, hint.sub);
    reply.header('set-cookie', remembered.forget());
    const target = query.get('post_logout_redirect_uri');
    if (target === null) return sendPage(reply, signedOutPage());
    const client = clients.find(({ id }) => id === (hint?.clientId ?? query.get('client_id')));
    if (!client?.redirectUris.includes(target)) {
      return sendPage(reply.code(400), faultPage('The post_logout_redirect_uri is none of the client.'));
    }
    return reply.redirect(withQuery(target, { state: query.get('state') ?? undefined }), 303);
  });
}

/** The request if it is good; otherwise it has been answered. */
function checkRequest(
  parameters: URLSearchParams,
  clients: readonly DevClient[],
  reply: FastifyReply,
): AuthorizationRequest | undefined {
  try {
    return readAuthorizationRequest(parameters, clients);
  } catch (error) {
    if (error instanceof AuthorizationError) void reply.redirect(error.location, 303);
    else if (error instanceof UnknownClientError) void sendPage(reply.code(400), faultPage(error.message));
    else throw error;
    return undefined;
  }
}

/** `org`, or `org/tenant` for a sign-in that is limited to one tenant. */
function findPlace(places: readonly Place[], chosen: string): { orgId: string; tenantId?: string } | undefined {
  const [orgId, tenantId] = chosen.split('/');
  const org = places.find(({ id }) => id === orgId);
  if (!org) return undefined;
  if (tenantId === undefined) return { orgId: org.id };
  return org.tenants.some(({ id }) => id === tenantId) ? { orgId: org.id, tenantId } : undefined;
}

const readQuery = (url: string): URLSearchParams => new URL(url, 'http://localhost').searchParams;

/** A request without a body, or with one of another type, has an empty form. */
const readForm = (body: unknown): URLSearchParams => (body instanceof URLSearchParams ? body : new URLSearchParams());

/** `target` is where the page's form leads in the end: browsers hold redirects of a form to `form-action` too. */
const sendPage = (reply: FastifyReply, html: string, target?: string): FastifyReply =>
  reply
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header(
      'content-security-policy',
      `default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; form-action 'self'${target === undefined ? '' : ` ${new URL(target).origin}`}`,
    )
    .type('text/html; charset=utf-8')
    .send(html);
