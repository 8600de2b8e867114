import {
  allowInsecureRequests,
  AuthorizationResponseError,
  authorizationCodeGrant,
  type ClientAuth,
  clientCredentialsGrant,
  ClientError,
  ClientSecretPost,
  Configuration,
  customFetch,
  genericGrantRequest,
  None,
  refreshTokenGrant,
  ResponseBodyError,
  type TokenEndpointResponse,
} from 'openid-client';
import { describeEgressError } from '#src/automation/credentials/egress-failures.service.ts';
import type { TokenOutcome } from '#src/automation/credentials/token-outcome.rules.ts';
import type { Deps } from '#src/infra/deps.ts';
import { EgressError } from '#src/infra/egress/errors.ts';
import { resolveClient } from './discovery.service.ts';
import { egressFetch } from './egress-fetch.service.ts';
import type { OAuthClient, ResolvedClient } from './oauth-client.rules.ts';
import type { TokenAnswer } from './token-answer.rules.ts';

/** Form-encoded as RFC 6749 requires, but only the characters that must be: some providers do not decode the others. */
const basicAuthentication =
  (secret: string): ClientAuth =>
  (_server, { client_id: id }, _body, headers) => {
    const pair = [id, secret].map((text) => encodeURIComponent(text).replaceAll('%20', '+')).join(':');
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
  };

/** The openid-client configuration of provider and client; a response must name `issuer`. */
export function buildConfiguration(client: ResolvedClient, issuer: string): Configuration {
  const { authorizeUrl, tokenUrl, clientId, clientSecret, clientAuthentication } = client;
  const secretAuthentication = clientAuthentication === 'post' ? ClientSecretPost : basicAuthentication;
  const configuration = new Configuration(
    { issuer, token_endpoint: tokenUrl, ...(authorizeUrl !== null && { authorization_endpoint: authorizeUrl }) },
    clientId,
    undefined,
    clientSecret === null ? None() : secretAuthentication(clientSecret),
  );
  // Egress decides which hosts may be called without TLS.
  allowInsecureRequests(configuration);
  return configuration;
}

/** Codes that reject the client itself. */
const clientFaults = new Set([
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'incorrect_client_credentials',
  'redirect_uri_mismatch',
]);
/** Codes that reject the refresh token: the standard one and those of providers with their own codes. */
const refreshRefusals = new Set(['invalid_grant', 'bad_refresh_token', 'invalid_refresh_token']);
const passingFaults = new Set(['temporarily_unavailable', 'server_error', 'slow_down']);

/** An id token identifies the user, which we do not need; failing to verify one must not lose the grant. */
const withoutIdToken = ({ status, json }: TokenAnswer): TokenAnswer => ({
  status,
  json: json && { ...json, id_token: undefined },
});

/** Exchanges the code in `callback` (the redirect URI as called) for tokens. Sends one request. */
export async function exchangeCode(
  { egress }: Pick<Deps, 'egress'>,
  client: ResolvedClient,
  { issuer, callback, ...checks }: { issuer: string; callback: URL; expectedState: string; pkceCodeVerifier: string },
): Promise<TokenOutcome> {
  const configuration = buildConfiguration(client, issuer);
  // When the issuer is known, the id token is checked against it, to detect a mix-up of issuers.
  configuration[customFetch] = egressFetch(egress, client.issuer === null ? withoutIdToken : undefined);
  const refuses = (error: string): boolean => !clientFaults.has(error);
  return settle(() => authorizationCodeGrant(configuration, callback, checks), refuses);
}

/** Exchanges the refresh token for new tokens. Sends one token request, which nothing cancels. */
export const refreshTokens = (
  deps: Pick<Deps, 'egress'>,
  client: OAuthClient,
  refreshToken: string,
): Promise<TokenOutcome> =>
  requestTokens(
    deps,
    client,
    (configuration) => refreshTokenGrant(configuration, refreshToken),
    (error) => refreshRefusals.has(error),
  );

/** Requests an access token for the client itself. Sends one token request. */
export async function requestClientToken(deps: Pick<Deps, 'egress'>, client: OAuthClient): Promise<TokenOutcome> {
  const { scopes: scope, audience, resource } = client;
  const parameters = {
    ...(scope !== '' && { scope }),
    ...(audience !== null && { audience }),
    ...(resource !== null && { resource }),
  };
  // This cannot end a user's grant: any refusal concerns the client or its scopes.
  return requestTokens(
    deps,
    client,
    (configuration) => clientCredentialsGrant(configuration, parameters),
    () => false,
  );
}

/** Requests an access token with the name and password of a user. Sends one token request. */
export async function requestUserToken(deps: Pick<Deps, 'egress'>, client: OAuthClient): Promise<TokenOutcome> {
  const { scopes: scope, user } = client;
  const parameters = {
    username: user?.name ?? '',
    password: user?.password ?? '',
    ...(scope !== '' && { scope }),
  };
  // A refusal means that the client, the user or the password is wrong, so somebody must correct the config.
  return requestTokens(
    deps,
    client,
    (configuration) => genericGrantRequest(configuration, 'password', parameters),
    () => false,
  );
}

/** Sends a token request, after the discovery of the provider's addresses if the config leaves them to it. */
async function requestTokens(
  { egress }: Pick<Deps, 'egress'>,
  client: OAuthClient,
  request: (configuration: Configuration) => Promise<TokenEndpointResponse>,
  refuses: (error: string) => boolean,
): Promise<TokenOutcome> {
  const resolved = await resolveClient({ egress }, client);
  if ('failure' in resolved) return resolved.failure;
  const configuration = tokenConfiguration(egress, resolved.client);
  return settle(() => request(configuration), refuses);
}

function tokenConfiguration(egress: Deps['egress'], client: ResolvedClient): Configuration {
  const configuration = buildConfiguration(
    client,
    client.issuer ?? new URL(client.authorizeUrl ?? client.tokenUrl).origin,
  );
  configuration[customFetch] = egressFetch(egress, withoutIdToken);
  return configuration;
}

async function settle(
  request: () => Promise<TokenEndpointResponse>,
  refuses: (error: string) => boolean,
): Promise<TokenOutcome> {
  try {
    return { kind: 'granted', tokens: await request() };
  } catch (error) {
    if (error instanceof ResponseBodyError) return judge(error, refuses);
    if (error instanceof AuthorizationResponseError) return { kind: 'refused', error: 'authorization_response' };
    if (error instanceof ClientError) return judgeClientError(error);
    throw error;
  }
}

function judge({ error, status }: ResponseBodyError, refuses: (error: string) => boolean): TokenOutcome {
  // A provider's error text may contain anything, so only a plain code is shown.
  const code = /^[\w.-]{1,64}$/.test(error) ? error : 'unknown_error';
  if (status === 429 || status === 408 || passingFaults.has(code))
    return unavailable(`the provider answered ${status} ${code}`);
  if (refuses(code)) return { kind: 'refused', error: code };
  return { kind: 'misconfigured', reason: `the provider answered ${code}` };
}

/** openid-client's codes for an id token of another issuer or client, or outside its validity. */
const identityFaults = new Set(['OAUTH_JWT_CLAIM_COMPARISON_FAILED', 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED']);

function judgeClientError(error: ClientError): TokenOutcome {
  if (error.cause instanceof EgressError) return describeEgressError(error.cause);
  if (identityFaults.has(error.code ?? '')) return { kind: 'refused', error: 'id_token' };
  if (error.cause instanceof Response)
    return unavailable(`the provider answered ${error.cause.status} without an OAuth error`);
  return unavailable('the provider did not answer as a token endpoint does');
}

const unavailable = (reason: string): TokenOutcome => ({ kind: 'unavailable', reason });
