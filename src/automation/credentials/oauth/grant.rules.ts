import type { TokenEndpointResponse } from 'openid-client';
import { z } from 'zod';
import { readInstant, readSeconds } from './token-answer.rules.ts';
import { tokenMembers } from './token-members.rules.ts';

const instant = z.iso.datetime().nullable();

/** The grant of an authorisation, as sealed with the credential. Times are ISO 8601. */
const grantSchema = z.object({
  /** How the grant is renewed: with its refresh token if a user authorised it, otherwise by a new token request. */
  grant_type: z.enum(['authorization_code', 'client_credentials', 'password', 'session']).default('authorization_code'),
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).nullable(),
  token_type: z.string(),
  scope: z.string().nullable(),
  obtained_at: z.iso.datetime(),
  /** When the access token expires. */
  expires_at: instant,
  /** When the refresh token expires, if the provider says so. */
  refresh_expires_at: instant,
  /** Seconds that the last access token of known lifetime lasted. */
  lifetime_s: z.number().nullable().default(null),
  /** The other members of the token answers. */
  members: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
});

export type Grant = z.infer<typeof grantSchema>;

export const readGrant = (stored: unknown): Grant => grantSchema.parse(stored);

/** The longest time before its expiry that an access token is renewed. */
const marginMs = 60_000;
/** An access token with less time left, or less than a quarter of a short life, may expire in transit. */
const travelMs = 5_000;

const at = (base: Date, seconds: number | undefined): string | null =>
  seconds === undefined ? null : new Date(base.getTime() + seconds * 1_000).toISOString();

/** Seconds that an access token lasts, by what its response says. An expiry in the past is ignored, because clocks differ. */
function readLifetime(tokens: TokenEndpointResponse, obtainedAt: Date): number | undefined {
  const seconds = readSeconds(tokens.expires_in);
  if (seconds !== undefined) return seconds;
  const end = readInstant(tokens['expires_at']) ?? readInstant(tokens['expires_on']);
  const left = end === undefined ? 0 : (end - obtainedAt.getTime()) / 1_000;
  return left > 0 ? readSeconds(left) : undefined;
}

/** The last known lifetime. Older grants have no stored lifetime; it is computed from their times. */
function knownLifetime(before: Grant | null): number | undefined {
  if (before === null) return undefined;
  if (before.lifetime_s !== null) return before.lifetime_s;
  const { obtained_at: from, expires_at: until } = before;
  return until === null ? undefined : Math.max(0, (Date.parse(until) - Date.parse(from)) / 1_000);
}

function readRefreshLifetime(tokens: TokenEndpointResponse, obtainedAt: Date): number | undefined {
  const seconds = readSeconds(tokens['refresh_expires_in']) ?? readSeconds(tokens['refresh_token_expires_in']);
  if (seconds !== undefined) return seconds;
  const end = readInstant(tokens['refresh_expires_at']) ?? readInstant(tokens['refresh_token_expires_at']);
  return end === undefined ? undefined : readSeconds((end - obtainedAt.getTime()) / 1_000);
}

/**
 * The grant from a response received at `obtainedAt`. Without a new refresh token, the one of `before` stays in use. When the
 * response has no lifetime for the access token, the lifetime of the previous token is used.
 */
export function toGrant(
  tokens: TokenEndpointResponse,
  obtainedAt: Date,
  before: Grant | null = null,
  grantType: Grant['grant_type'] = 'authorization_code',
): Grant {
  const { access_token, token_type, scope } = tokens;
  // The other grants request each new token like the first one.
  const refresh_token = grantType === 'authorization_code' ? tokens.refresh_token : undefined;
  const lifetime = readLifetime(tokens, obtainedAt) ?? knownLifetime(before);
  const refreshLife = readRefreshLifetime(tokens, obtainedAt);
  const isKept = refresh_token === undefined || refresh_token === before?.refresh_token;
  return {
    grant_type: grantType,
    access_token,
    refresh_token: refresh_token ?? before?.refresh_token ?? null,
    token_type,
    scope: scope ?? before?.scope ?? null,
    obtained_at: obtainedAt.toISOString(),
    expires_at: at(obtainedAt, lifetime),
    // Keycloak sends 0 for a refresh token that does not expire.
    refresh_expires_at:
      at(obtainedAt, refreshLife || undefined) ?? (isKept ? (before?.refresh_expires_at ?? null) : null),
    lifetime_s: lifetime ?? null,
    members: tokenMembers(tokens, before?.members),
  };
}

/** A minute before the access token expires, or after half of a short life. Null when no refresh is possible or needed. */
export function planRefresh(grant: Grant): string | null {
  const { obtained_at: from, expires_at: until } = grant;
  if (!isRenewable(grant) || until === null) return null;
  const end = Date.parse(until);
  return new Date(end - Math.min(marginMs, (end - Date.parse(from)) / 2)).toISOString();
}

/** True when another access token can be obtained without a user. */
export const isRenewable = ({ grant_type: type, refresh_token: token }: Grant): boolean =>
  type !== 'authorization_code' || token !== null;

/** When the grant expires unless it is authorised again, if known. */
export const grantEnd = (grant: Grant): string | null =>
  isRenewable(grant) ? grant.refresh_expires_at : grant.expires_at;

/** True while the access token is valid long enough for a request that begins at `now`. */
export function isUsable({ obtained_at: from, expires_at: until }: Grant, now: Date): boolean {
  if (until === null) return true;
  const end = Date.parse(until);
  return end - Math.min(travelMs, (end - Date.parse(from)) / 4) > now.getTime();
}
