import type { TokenEndpointResponse } from 'openid-client';
import { z } from 'zod';
import { secondsOf } from './token-answer.rules.ts';

const instant = z.iso.datetime().nullable();

/** The grant of an authorisation, as sealed with the credential. Times are ISO 8601. */
const grantSchema = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).nullable(),
  token_type: z.string(),
  scope: z.string().nullable(),
  obtained_at: z.iso.datetime(),
  /** When the access token expires. */
  expires_at: instant,
  /** When the refresh token expires, if the provider says so. */
  refresh_expires_at: instant,
});

export type Grant = z.infer<typeof grantSchema>;

export const readGrant = (stored: unknown): Grant => grantSchema.parse(stored);

/** The longest time before its expiry that an access token is renewed. */
const marginMs = 60_000;
/** An access token with less time left, or less than a quarter of a short life, may expire in transit. */
const travelMs = 5_000;

const at = (base: Date, seconds: number | undefined): string | null =>
  seconds === undefined ? null : new Date(base.getTime() + seconds * 1_000).toISOString();

/** The grant from a response received at `obtainedAt`; without a new refresh token, the one of `before` stays in use. */
export function grantOf(tokens: TokenEndpointResponse, obtainedAt: Date, before: Grant | null = null): Grant {
  const { access_token, refresh_token, token_type, scope, expires_in } = tokens;
  const refreshLife = secondsOf(tokens['refresh_expires_in']) ?? secondsOf(tokens['refresh_token_expires_in']);
  const isKept = refresh_token === undefined || refresh_token === before?.refresh_token;
  return {
    access_token,
    refresh_token: refresh_token ?? before?.refresh_token ?? null,
    token_type,
    scope: scope ?? before?.scope ?? null,
    obtained_at: obtainedAt.toISOString(),
    expires_at: at(obtainedAt, secondsOf(expires_in)),
    // Keycloak sends 0 for a refresh token that does not expire.
    refresh_expires_at:
      at(obtainedAt, refreshLife || undefined) ?? (isKept ? (before?.refresh_expires_at ?? null) : null),
  };
}

/** A minute before the access token expires, or after half of a short life. Null when no refresh is possible or needed. */
export function refreshAtOf({ refresh_token: token, obtained_at: from, expires_at: until }: Grant): string | null {
  if (token === null || until === null) return null;
  const end = Date.parse(until);
  return new Date(end - Math.min(marginMs, (end - Date.parse(from)) / 2)).toISOString();
}

/** When the grant expires unless it is authorised again, if known. */
export const endOf = (grant: Grant): string | null =>
  grant.refresh_token === null ? grant.expires_at : grant.refresh_expires_at;

/** Whether the access token is still good for a request that begins at `now`. */
export function isUsable({ obtained_at: from, expires_at: until }: Grant, now: Date): boolean {
  if (until === null) return true;
  const end = Date.parse(until);
  return end - Math.min(travelMs, (end - Date.parse(from)) / 4) > now.getTime();
}
