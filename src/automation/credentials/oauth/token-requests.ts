import {
  allowInsecureRequests,
  AuthorizationResponseError,
  authorizationCodeGrant,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  customFetch,
  None,
  refreshTokenGrant,
  ResponseBodyError,
  type TokenEndpointResponse,
} from 'openid-client';
import type { Deps } from '#src/infra/deps.ts';
import { EgressError } from '#src/infra/egress/errors.ts';
import { egressFetch } from './egress-fetch.ts';
import type { OAuthClient } from './oauth-client.rules.ts';
import type { TokenAnswer } from './token-answer.rules.ts';

export type TokenOutcome =
  | { kind: 'granted'; tokens: TokenEndpointResponse }
  /** The provider looked at the code or the refresh token, and said no. `error` is its code. */
  | { kind: 'refused'; error: string }
  /** The client is refused, or its URL may not be called: the same will not work until somebody changes the config. */
  | { kind: 'misconfigured'; reason: string }
  /** No answer, or none that says anything of the grant. The same may work later. */
  | { kind: 'unavailable'; reason: string };

// Reasons are the end of a sentence, and hold no secret.

/** openid-client's view of the provider and us; `issuer` is what an answer of the provider must name. */
export function configurationOf(client: OAuthClient, issuer: string): Configuration {
  const { authorizeUrl, tokenUrl, clientId, clientSecret, clientAuthentication } = client;
  const secretAuthentication = clientAuthentication === 'post' ? ClientSecretPost : ClientSecretBasic;
  const configuration = new Configuration(
    { issuer, authorization_endpoint: authorizeUrl, token_endpoint: tokenUrl },
    clientId,
    undefined,
    clientSecret === null ? None() : secretAuthentication(clientSecret),
  );
  // Which hosts may be called without TLS is egress's to decide.
  allowInsecureRequests(configuration);
  return configuration;
}

/** Codes that say no to the client itself, whatever it asks for. */
const clientFaults = new Set([
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'incorrect_client_credentials',
  'redirect_uri_mismatch',
]);
/** Codes that say no to the refresh token; beside the standard's, those of providers with words of their own. */
const refreshRefusals = new Set(['invalid_grant', 'bad_refresh_token', 'invalid_refresh_token']);
const passingFaults = new Set(['temporarily_unavailable', 'server_error', 'slow_down']);

/** An id token says who the user is, which we do not ask; one that cannot be verified must not cost the grant. */
const withoutIdToken = ({ status, json }: TokenAnswer): TokenAnswer => ({
  status,
  json: json && { ...json, id_token: undefined },
});

/** Trades the code in `callback`, the redirect URI as it was called, for tokens. Sends one request. */
export async function exchangeCode(
  { egress }: Pick<Deps, 'egress'>,
  client: OAuthClient,
  { issuer, callback, ...checks }: { issuer: string; callback: URL; expectedState: string; pkceCodeVerifier: string },
): Promise<TokenOutcome> {
  const configuration = configurationOf(client, issuer);
  // Where the issuer is known, an id token names it again: one of another issuer was mixed up.
  configuration[customFetch] = egressFetch(egress, client.issuer === null ? withoutIdToken : undefined);
  const refuses = (error: string): boolean => !clientFaults.has(error);
  return settle(() => authorizationCodeGrant(configuration, callback, checks), refuses);
}

/** Trades the refresh token for new tokens. Sends one request, which nothing cancels. */
export async function refreshTokens(
  { egress }: Pick<Deps, 'egress'>,
  client: OAuthClient,
  refreshToken: string,
): Promise<TokenOutcome> {
  const configuration = configurationOf(client, client.issuer ?? new URL(client.authorizeUrl).origin);
  configuration[customFetch] = egressFetch(egress, withoutIdToken);
  return settle(
    () => refreshTokenGrant(configuration, refreshToken),
    (error) => refreshRefusals.has(error),
  );
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
  // A provider's own words may hold anything; a code is letters.
  const code = /^[\w.-]{1,64}$/.test(error) ? error : 'unknown_error';
  if (status === 429 || status === 408 || passingFaults.has(code))
    return unavailable(`the provider answered ${status} ${code}`);
  if (refuses(code)) return { kind: 'refused', error: code };
  return { kind: 'misconfigured', reason: `the provider answered ${code}` };
}

/** What openid-client says of an id token that is not of this issuer, for this client, for now. */
const identityFaults = new Set(['OAUTH_JWT_CLAIM_COMPARISON_FAILED', 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED']);

function judgeClientError(error: ClientError): TokenOutcome {
  if (error.cause instanceof EgressError) return judgeEgress(error.cause);
  if (identityFaults.has(error.code ?? '')) return { kind: 'refused', error: 'id_token' };
  if (error.cause instanceof Response)
    return unavailable(`the provider answered ${error.cause.status} without an OAuth error`);
  return unavailable('the provider did not answer as a token endpoint does');
}

/** What egress refuses whatever the weather. */
const refusedCalls = new Set(['invalid_request', 'refused_protocol', 'refused_port', 'refused_address']);

const judgeEgress = ({ code, message }: EgressError): TokenOutcome => ({
  kind: refusedCalls.has(code) ? 'misconfigured' : 'unavailable',
  reason: message.replace(/\.$/, ''),
});

const unavailable = (reason: string): TokenOutcome => ({ kind: 'unavailable', reason });
