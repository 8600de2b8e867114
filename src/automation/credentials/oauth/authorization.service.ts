import {
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomPKCECodeVerifier,
  type TokenEndpointResponse,
} from 'openid-client';
import { auditedCredential } from '#src/automation/credentials/credentials.declarations.ts';
import { lockCredential, readCredential } from '#src/automation/credentials/credentials.store.ts';
import type { TokenOutcome } from '#src/automation/credentials/token-outcome.rules.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { AppError, NotFoundError } from '#src/infra/errors.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { resolveClient } from './discovery.service.ts';
import { toGrant } from './grant.rules.ts';
import { lockGrant, writeGrant } from './grants.store.ts';
import {
  issuerFor,
  type OAuthClient,
  requireAuthorized,
  type ResolvedClient,
  sameClient,
} from './oauth-client.rules.ts';
import { type BegunAuthorization, consumeState, createState } from './oauth-states.store.ts';
import { callbackInput, consoleState } from './oauth.inputs.ts';
import { storeWithRetries } from './store-with-retries.service.ts';
import { buildConfiguration, exchangeCode } from './token-requests.service.ts';
import { findOAuthClient } from './token-sources.service.ts';

/** Where providers redirect users to; it must be registered with each provider. */
export const buildRedirectUri = ({ publicUrl }: Deps): string =>
  `${publicUrl.replace(/\/+$/, '')}/api/v1/credentials/oauth/callback`;

/**
 * Begins an authorisation (code flow with PKCE S256) and returns its URL, which the user must visit within ten minutes. With
 * `returnToConsole` the console completes it, where the user then is.
 */
export async function createAuthorizeUrl(
  deps: Deps,
  actor: Actor,
  { credentialId, returnToConsole }: { credentialId: bigint; returnToConsole: boolean },
): Promise<string> {
  const { tenantId } = actor;
  const credential = await readCredential(deps, tenantId, credentialId);
  if (!credential) throw new NotFoundError();
  const described = await findOAuthClient(deps, credential);
  const client = requireAuthorized(await discovered(deps, described, credentialId));
  const verifier = randomPKCECodeVerifier();
  const begun = { actor, credentialId, verifier, client: sameClient(described) };
  const state = await deps.database.withTenant(tenantId, (tx) =>
    createState(deps, tx, begun, returnToConsole ? consoleState(tenantId) : ''),
  );
  const url = buildAuthorizationUrl(buildConfiguration(client, new URL(client.authorizeUrl).origin), {
    redirect_uri: buildRedirectUri(deps),
    ...(client.scopes !== '' && { scope: client.scopes }),
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  return url.href;
}

/** One message for every fault in state, code, issuer or PKCE, so that a stranger learns nothing from it. */
const invalidState = () => new AppError('BAD_REQUEST', 'Invalid or expired OAuth state.');

/** When config or type no longer describe a client, the credential is not the one that the authorisation began with. */
function asInvalidState(error: unknown): never {
  throw error instanceof AppError ? invalidState() : error;
}

/**
 * Completes an authorisation with what the provider's redirect brought and returns the connected credential's id. Only the
 * state identifies the caller, and it is consumed first, whatever the outcome. Throws BAD_REQUEST for any fault of the
 * authorisation, UNPROCESSABLE when the provider does not know the client, UNAVAILABLE when it could not be reached. In each
 * case the credential stays as it was.
 */
export async function completeAuthorization(deps: Deps, given: unknown): Promise<bigint> {
  const { state, iss = null, outcome: brought } = callbackInput.parse(given);
  const code = 'code' in brought ? brought.code : undefined;
  const begun = state === undefined ? undefined : await consumeState(deps, state);
  if (state === undefined || !begun || code === undefined) throw invalidState();
  deps.redactor.add(code);
  const { actor, credentialId } = begun;
  const about = { tenantId: actor.tenantId, credentialId: String(credentialId) };
  const credential = await readCredential(deps, actor.tenantId, credentialId);
  const described = credential && (await findOAuthClient(deps, credential).catch(asInvalidState));
  if (!credential || described?.grantType !== 'authorization_code' || sameClient(described) !== begun.client)
    throw invalidState();
  const client = await discovered(deps, described, credentialId);
  const issuer = issuerFor(client, iss);
  if (issuer === undefined) {
    deps.log.warn(
      { ...about, iss },
      'An OAuth provider names itself otherwise than expected; see `issuer` of the config.',
    );
    throw invalidState();
  }

  const callback = new URL(buildRedirectUri(deps));
  callback.search = new URLSearchParams({ state, code, ...(iss !== null && { iss }) }).toString();
  const sentAt = performance.now();
  const outcome = await exchangeCode(deps, client, {
    issuer,
    callback,
    expectedState: state,
    pkceCodeVerifier: begun.verifier,
  });
  if (outcome.kind === 'unavailable' || outcome.kind === 'misconfigured') throw failed(deps, about, outcome);
  if (outcome.kind === 'refused') throw invalidState();

  const { tokens } = outcome;
  await storeWithRetries(
    () => storeConnected(deps, begun, { version: credential.grantVersion, sentAt, tokens }),
    persistMs,
  );
  return credentialId;
}

/** The client with the addresses of its provider. Throws UNAVAILABLE or UNPROCESSABLE if discovery fails. */
async function discovered(deps: Deps, client: OAuthClient, credentialId: bigint): Promise<ResolvedClient> {
  const resolved = await resolveClient(deps, client);
  if ('client' in resolved) return resolved.client;
  throw failed(deps, { credentialId: String(credentialId) }, resolved.failure);
}

type Failure = Extract<TokenOutcome, { kind: 'misconfigured' | 'unavailable' }>;

function failed({ log }: Deps, about: object, { kind, reason }: Failure): AppError {
  if (kind === 'misconfigured') {
    return new AppError(
      'UNPROCESSABLE',
      `The authorisation could not be completed: ${reason}. Check the credential's config, then start again.`,
    );
  }
  log.warn({ ...about, reason }, 'An OAuth provider could not be asked for tokens.');
  return new AppError('UNAVAILABLE', 'The OAuth provider could not be reached; start the authorisation again.');
}

/** The code can be used only once, so a short database outage is waited out; a user is looking at a browser. */
const persistMs = 6_000;

async function storeConnected(
  deps: Deps,
  begun: BegunAuthorization,
  { version, sentAt, tokens }: { version: number; sentAt: number; tokens: TokenEndpointResponse },
): Promise<void> {
  const { actor, credentialId: id } = begun;
  const key = { tenantId: actor.tenantId, id };
  await deps.database.withTenant(actor.tenantId, async (tx) => {
    const row = await lockGrant(tx, key);
    if (!row) throw invalidState();
    // A refresh changes the version too; what matters is whether the client is still the one that was authorised.
    if (row.version !== version) {
      const stored = await lockCredential(deps, tx, actor.tenantId, id);
      const client = stored && (await findOAuthClient(deps, stored).catch(asInvalidState));
      if (!client || sameClient(client) !== begun.client) throw invalidState();
    }
    await writeGrant(deps, tx, key, toGrant(tokens, new Date(row.now.getTime() - (performance.now() - sentAt))));
    await tx.$executeRaw`UPDATE credentials SET updated_at = now() WHERE tenant_id = ${key.tenantId} AND id = ${id}`;
    const metadata = { oauth: 'connected' };
    await recordAudit(tx, actor, { action: 'update', resource: auditedCredential, resourceId: id, metadata });
  });
}
