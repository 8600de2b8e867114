import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type DisconnectedStatus, disconnectedMessage } from '#src/automation/credentials/connection.rules.ts';
import { type CredentialKey, readCredential } from '#src/automation/credentials/credentials.store.ts';
import { tokenRequestMs } from '#src/automation/credentials/token-outcome.rules.ts';
import type { GrantType } from '#src/automation/node-api/manifest.ts';
import type { Deps } from '#src/infra/deps.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import { AccessTokenError } from './access-token.rules.ts';
import type { FutileRenewals } from './futile-renewals.rules.ts';
import { type Grant, toGrant, isRenewable, isUsable, readGrant } from './grant.rules.ts';
import { endGrant } from './grants.service.ts';
import {
  claimRefresh,
  type GrantState,
  lockGrant,
  readGrantState,
  releaseRefresh,
  writeGrant,
} from './grants.store.ts';
import { storeWithRetries } from './store-with-retries.service.ts';
import { findTokenSource, requestOwnToken } from './token-sources.service.ts';

/** Longer than the single request of the holder, so that no one else sends a refresh token that is just being rotated. */
const leaseMs = 3 * tokenRequestMs;
/** How long to wait after a provider did not respond; it has then finished with the last request. */
const restMs = 2_000;
/** The longest a caller waits: for a holder that died, and for a request of its own. */
const waitMs = leaseMs + 1.5 * tokenRequestMs;
/** The longest a caller waits for a fresh token while its present one is still valid. */
const patienceMs = 2_000;
/** The longest a rotated refresh token is kept in memory during a database outage. */
const persistMs = 300_000;
const firstPauseMs = 25;
const lastPauseMs = 500;

/** The dependencies of use cases that need an access token. */
export interface CredentialDeps extends Deps {
  /** Refreshes in progress in this process, at most one per credential. */
  refreshes: Map<string, Promise<Grant>>;
  /** New access tokens that a server rejected nevertheless. */
  futileRenewals: FutileRenewals;
}

/** The access token of a connected credential, see `currentGrant`. */
export const accessToken = async (deps: CredentialDeps, tenantId: string, credentialId: bigint): Promise<string> =>
  (await currentGrant(deps, tenantId, credentialId)).access_token;

/**
 * The grant of a connected credential, refreshed shortly before its access token expires. Among all callers in all processes
 * one refreshes and the others use its result. Throws NotFoundError, or AccessTokenError: retryable when the provider
 * could not be reached, not retryable when someone must reconnect the credential or change its config.
 */
export async function currentGrant(deps: CredentialDeps, tenantId: string, credentialId: bigint): Promise<Grant> {
  const key = { tenantId, id: credentialId };
  const { grant, isDue, now, version } = connected(key, await readGrantState(deps, key));
  if (grant === null) return within(refreshOnce(deps, key), waitMs, key);
  if (!isDue && isUsable(grant, now)) return grant;
  if (!isRenewable(grant)) {
    // The grant may be about to expire; its status changes only when it has expired.
    if (now.getTime() < Date.parse(grant.expires_at ?? '')) return grant;
    await endGrant(deps, key, { version, lease: null, reason: 'no_refresh_token' });
    throw notConnected(key, 'expired');
  }
  const flight = refreshOnce(deps, key);
  if (!isUsable(grant, now)) return within(flight, waitMs, key);
  return freshOrCurrent(flight, grant);
}

/**
 * The access token that replaces one that a server has rejected, even before its expiry: a session can end earlier. Undefined when
 * there is no other token, or when the last replacement was rejected too. One caller refreshes, and the errors are the same, as in
 * `currentGrant`.
 */
export async function replaceRejected(
  deps: CredentialDeps,
  key: CredentialKey,
  rejected: string,
): Promise<string | undefined> {
  if (deps.futileRenewals.has(rejected)) return undefined;
  // A refresh that began before the rejection may have found this token valid, so this tries twice.
  for (let tries = 0; tries < 2; tries += 1) {
    const { grant } = connected(key, await readGrantState(deps, key));
    if (grant && grant.access_token !== rejected) return grant.access_token;
    if (grant && !isRenewable(grant)) return undefined;
    const fresh = await within(refreshOnce(deps, key, rejected), waitMs, key);
    if (fresh.access_token !== rejected) return fresh.access_token;
  }
  return undefined;
}

/** Resolves when this process has no refresh in progress; call it before closing the database. */
export async function refreshesSettled({ refreshes }: Pick<CredentialDeps, 'refreshes'>): Promise<void> {
  await Promise.allSettled(refreshes.values());
}

/** Uses a token that is still valid while a refresh takes long or fails; only the end of the grant is reported immediately. */
async function freshOrCurrent(flight: Promise<Grant>, still: Grant): Promise<Grant> {
  const fresh = flight.catch((error: unknown) => {
    if (error instanceof AccessTokenError && !error.isRetryable) throw error;
    return still;
  });
  return Promise.race([fresh, delay(patienceMs, still, { ref: false })]);
}

async function within<T>(work: Promise<T>, limitMs: number, key: CredentialKey): Promise<T> {
  const ended = new AbortController();
  const late = delay(limitMs, undefined, { signal: ended.signal }).then(() => {
    throw unanswered(key, 'the refresh takes too long');
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    ended.abort();
    late.catch(() => undefined);
  }
}

function refreshOnce(deps: CredentialDeps, key: CredentialKey, rejected?: string): Promise<Grant> {
  const { refreshes } = deps;
  const name = `${key.tenantId}/${key.id}`;
  const under = refreshes.get(name);
  if (under) return under;
  const flight = refresh(deps, key, rejected).finally(() => refreshes.delete(name));
  // The caller that began it may no longer be waiting.
  flight.catch((error: unknown) => {
    deps.log.warn({ err: error, ...about(key) }, 'An access token could not be refreshed.');
  });
  refreshes.set(name, flight);
  return flight;
}

/** Refreshes the grant, or waits for the process that does. A grant with the `rejected` access token needs it in any case. */
async function refresh(deps: Deps, key: CredentialKey, rejected?: string): Promise<Grant> {
  const until = performance.now() + waitMs;
  let first: number | undefined;
  for (let pause = firstPauseMs; performance.now() < until; pause = Math.min(pause * 2, lastPauseMs)) {
    const { grant, isDue, now, version } = connected(key, await readGrantState(deps, key));
    // A grant that arrived while this waited is fresh, however short its life.
    if (grant && first !== undefined && version !== first) return grant;
    first = version;
    const serves = grant !== null && isUsable(grant, now) && grant.access_token !== rejected;
    if (grant && (!isRenewable(grant) || (!isDue && serves))) return grant;
    const lease = randomUUID();
    if (await claimRefresh(deps, key, { lease, version, leaseMs })) {
      const fresh = await refreshHeld(deps, key, { lease, version });
      if (fresh) return fresh;
    } else if (serves) {
      return grant;
    }
    // Half of the pause is random, so that waiting callers do not poll in step.
    await delay(pause * (0.5 + Math.random() / 2));
  }
  throw unanswered(key, 'another process is refreshing it and does not finish');
}

interface Held {
  lease: string;
  version: number;
}

/** Refreshes as the holder of the lease. Returns undefined when the grant has been replaced meanwhile: read it again. */
async function refreshHeld(deps: Deps, key: CredentialKey, held: Held): Promise<Grant | undefined> {
  let isSent = false;
  try {
    const credential = await readCredential(deps, key.tenantId, key.id);
    if (credential?.grantVersion !== held.version) return undefined;
    const before = credential.grant === null ? null : readGrant(credential.grant);
    const source = await findTokenSource(deps, credential);
    if (before === null && source.grantType === 'authorization_code') return undefined;
    // openid-client is imported with the first refresh.
    const { refreshTokens } = await import('./token-requests.service.ts');
    isSent = true;
    const sentAt = performance.now();
    const outcome =
      source.grantType === 'authorization_code'
        ? await refreshTokens(deps, source, before?.refresh_token ?? '')
        : await requestOwnToken(deps, source);
    if (outcome.kind === 'granted') {
      // Only the version must match: even if the lease was lost, this grant is newer than the stored one.
      return await storeWithRetries(
        () => store(deps, key, held, { before, sentAt, tokens: outcome.tokens, grantType: source.grantType }),
        persistMs,
      );
    }
    if (outcome.kind === 'refused') {
      const status = await endGrant(deps, key, { ...held, reason: outcome.error });
      if (status !== undefined) throw notConnected(key, status);
      return undefined;
    }
    await releaseLease(deps, key, held, restMs);
    if (outcome.kind === 'unavailable') throw unanswered(key, outcome.reason);
    throw new AccessTokenError(
      `The access token of credential ${key.id} could not be refreshed: ${outcome.reason}. Check the credential's config.`,
    );
  } finally {
    if (!isSent) await releaseLease(deps, key, held, 0);
  }
}

async function store(
  deps: Deps,
  key: CredentialKey,
  { version }: Held,
  {
    before,
    sentAt,
    tokens,
    grantType,
  }: { before: Grant | null; sentAt: number; tokens: Parameters<typeof toGrant>[0]; grantType: GrantType },
): Promise<Grant | undefined> {
  return deps.database.withTenant(key.tenantId, async (tx) => {
    const row = await lockGrant(tx, key);
    if (row?.version !== version) return undefined;
    const grant = toGrant(tokens, new Date(row.now.getTime() - (performance.now() - sentAt)), before, grantType);
    await writeGrant(deps, tx, key, grant);
    return grant;
  });
}

/** A lease that cannot be released expires by itself. */
async function releaseLease(deps: Deps, key: CredentialKey, { lease }: Held, forMs: number): Promise<void> {
  await releaseRefresh(deps, key, lease, forMs).catch((error: unknown) => {
    deps.log.warn({ err: error, ...about(key) }, 'The lease on a refresh could not be released; it expires by itself.');
  });
}

/** An active credential without a grant needs no authorisation by a user. It gets its grant at its first use. */
function connected(key: CredentialKey, state: GrantState | undefined): GrantState {
  if (!state) throw new NotFoundError();
  if (state.status !== 'active') throw notConnected(key, state.status);
  return state;
}

const notConnected = ({ id }: CredentialKey, status: DisconnectedStatus) =>
  new AccessTokenError(disconnectedMessage(`Credential ${id}`, status), { status });

const unanswered = ({ id }: CredentialKey, reason: string) =>
  new AccessTokenError(`The access token of credential ${id} could not be refreshed: ${reason}.`, {
    isRetryable: true,
  });

const about = ({ tenantId, id }: CredentialKey) => ({ tenantId, credentialId: String(id) });
