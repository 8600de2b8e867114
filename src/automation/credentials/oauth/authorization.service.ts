import {
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomPKCECodeVerifier,
  type TokenEndpointResponse,
} from 'openid-client';
import { lockCredential, readCredential } from '#src/automation/credentials/credential-store.ts';
import { auditedCredential } from '#src/automation/credentials/credentials.audit.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { AppError, NotFoundError } from '#src/infra/errors.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { lockGrant, writeGrant } from './grant-store.ts';
import { grantOf } from './grant.rules.ts';
import { issuerFor, sameClient } from './oauth-client.rules.ts';
import { oauthClientOf } from './oauth-clients.ts';
import { type BegunAuthorization, consumeState, createState } from './oauth-states.ts';
import { callbackQuery } from './oauth.inputs.ts';
import { persisting } from './persisting.ts';
import { configurationOf, exchangeCode } from './token-requests.ts';

/** Where providers send users back to; has to be registered with each of them. */
export const redirectUriOf = ({ publicUrl }: Pick<Deps, 'publicUrl'>): string =>
  `${publicUrl.replace(/\/+$/, '')}/api/v1/credentials/oauth/callback`;

/** Begins an authorisation (code flow with PKCE S256) and answers the URL at which the user grants it, within ten minutes. */
export async function createAuthorizeUrl(deps: Deps, actor: Actor, credentialId: bigint): Promise<string> {
  const { tenantId } = actor;
  const credential = await readCredential(deps, tenantId, credentialId);
  if (!credential) throw new NotFoundError();
  const client = await oauthClientOf(deps, credential);
  const verifier = randomPKCECodeVerifier();
  const begun = { actor, credentialId, verifier, client: sameClient(client) };
  const state = await deps.database.withTenant(tenantId, (tx) => createState(deps, tx, begun));
  const url = buildAuthorizationUrl(configurationOf(client, new URL(client.authorizeUrl).origin), {
    redirect_uri: redirectUriOf(deps),
    ...(client.scopes !== '' && { scope: client.scopes }),
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  return url.href;
}

/** One answer for everything that is wrong with state, code, issuer or PKCE: a stranger learns nothing from which. */
const invalidState = () => new AppError('BAD_REQUEST', 'Invalid or expired OAuth state.');

/** A credential whose config or type no longer makes a client is another than the one that was begun with. */
function asInvalidState(error: unknown): never {
  throw error instanceof AppError ? invalidState() : error;
}

/**
 * Ends an authorisation with what the provider's redirect brought, and answers the connected credential's id. Who calls is
 * known by the state alone, which is used up first, whatever comes of it. Throws BAD_REQUEST for anything wrong with the
 * authorisation, UNPROCESSABLE where the provider does not know the client, UNAVAILABLE where it could not be asked; in each
 * case the credential stays as it was.
 */
export async function completeAuthorization(deps: Deps, given: unknown): Promise<bigint> {
  const { state, code, iss = null, error } = callbackQuery.parse(given);
  const begun = state === undefined ? undefined : await consumeState(deps, state);
  if (state === undefined || !begun || code === undefined || error !== undefined) throw invalidState();
  deps.redactor.add(code);
  const { actor, credentialId } = begun;
  const about = { tenantId: actor.tenantId, credentialId: String(credentialId) };
  const credential = await readCredential(deps, actor.tenantId, credentialId);
  const client = credential && (await oauthClientOf(deps, credential).catch(asInvalidState));
  if (!credential || !client || sameClient(client) !== begun.client) throw invalidState();
  const issuer = issuerFor(client, iss);
  if (issuer === undefined) {
    deps.log.warn(
      { ...about, iss },
      'An OAuth provider names itself otherwise than expected; see `issuer` of the config.',
    );
    throw invalidState();
  }

  const callback = new URL(redirectUriOf(deps));
  callback.search = new URLSearchParams({ state, code, ...(iss !== null && { iss }) }).toString();
  const sentAt = performance.now();
  const outcome = await exchangeCode(deps, client, {
    issuer,
    callback,
    expectedState: state,
    pkceCodeVerifier: begun.verifier,
  });
  if (outcome.kind === 'unavailable') {
    deps.log.warn({ ...about, reason: outcome.reason }, 'An OAuth provider could not be asked for tokens.');
    throw new AppError('UNAVAILABLE', 'The OAuth provider could not be reached; start the authorisation again.');
  }
  if (outcome.kind === 'misconfigured') {
    throw new AppError(
      'UNPROCESSABLE',
      `The authorisation could not be completed: ${outcome.reason}. Check the credential's config, then start again.`,
    );
  }
  if (outcome.kind === 'refused') throw invalidState();

  const { tokens } = outcome;
  await persisting(() => storeConnected(deps, begun, { version: credential.grantVersion, sentAt, tokens }), persistMs);
  return credentialId;
}

/** The code is spent, so a moment without the database is waited out, as somebody looks at a browser. */
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
    // A refresh counts grants as well; what matters is whether the client is still the one that was authorised.
    if (row.version !== version) {
      const stored = await lockCredential(deps, tx, actor.tenantId, id);
      const client = stored && (await oauthClientOf(deps, stored).catch(asInvalidState));
      if (!client || sameClient(client) !== begun.client) throw invalidState();
    }
    await writeGrant(deps, tx, key, grantOf(tokens, new Date(row.now.getTime() - (performance.now() - sentAt))));
    await tx.$executeRaw`UPDATE credentials SET updated_at = now() WHERE tenant_id = ${key.tenantId} AND id = ${id}`;
    const metadata = { oauth: 'connected' };
    await recordAudit(tx, actor, { action: 'update', resource: auditedCredential, resourceId: id, metadata });
  });
}
