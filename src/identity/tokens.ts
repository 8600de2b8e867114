import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { z } from 'zod';
import { accessError, AppError } from '#src/infra/errors.ts';
import { inputFault } from '#src/infra/input-messages.ts';
import { ProviderError } from './provider-keys.ts';

/** The user that a verified token identifies, and what it grants. */
export interface Identity {
  iss: string;
  sub: string;
  aud: string[];
  email: string | null;
  name: string | null;
  roles: string[];
  orgId: string | null;
  /** The token is limited to these tenants of its organisation; null means no limit. */
  tenants: string[] | null;
  /** The value of the legacy claim, a fallback for the X-Tenant-Id header; null if that is disabled. */
  tenantId: string | null;
  /** Epoch milliseconds; of a token that does not say when it was issued, its expiry. */
  issuedAt: number;
  /** Epoch milliseconds. */
  expiresAt: number;
}

export interface ClaimNames {
  roles: string;
  org: string;
  /** Null if the legacy claim is ignored. */
  tenant: string | null;
  tenants: string;
}

export interface TokenVerifier {
  /** The identity of a bearer token; an UNAUTHENTICATED error for any token that is not valid now. */
  verify(token: string): Promise<Identity>;
}

const cacheSize = 5_000;
const clockToleranceSeconds = 5;
const text = z.string().max(512);
const claimsSchema = z.object({
  iss: text,
  sub: text.min(1),
  exp: z.number(),
  iat: z.number().optional(),
  aud: z.union([text, z.array(text)]).optional(),
  email: text.optional(),
  name: text.optional(),
});
const texts = z.array(text).max(1_000);

/**
 * Verifies tokens of one issuer. Verified tokens are cached until they expire (at most 5,000), because checking a
 * signature costs more than the rest of a small request.
 */
export function createTokenVerifier(options: {
  /** The issuer, or a predicate if several share the same keys. */
  issuer: string | ((iss: string) => boolean);
  audience: string;
  keys: JWTVerifyGetKey;
  claims: ClaimNames;
}): TokenVerifier {
  const known = new Map<string, Identity>();
  const { issuer } = options;
  return {
    async verify(token) {
      const seen = known.get(token);
      if (seen) {
        if (seen.expiresAt > Date.now()) return seen;
        known.delete(token);
      }
      try {
        const { payload } = await jwtVerify(token, options.keys, {
          ...(typeof issuer === 'string' && { issuer }),
          audience: options.audience,
          clockTolerance: clockToleranceSeconds,
          requiredClaims: ['exp', 'sub'],
          // Asymmetric only: a shared-secret token must never pass against a public key.
          algorithms: ['ES256', 'ES384', 'ES512', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'EdDSA'],
        });
        const identity = toIdentity(payload, options.claims);
        if (typeof issuer !== 'string' && !issuer(identity.iss)) {
          throw new Error(`The claim iss is ${shown(identity.iss)}, which is not an issuer of this server.`);
        }
        if (known.size >= cacheSize) known.delete(known.keys().next().value as string);
        known.set(token, identity);
        return identity;
      } catch (cause) {
        // The caller may retry: a failure to fetch keys says nothing about the token.
        if (cause instanceof ProviderError) {
          throw new AppError('UNAVAILABLE', 'The identity provider cannot be reached.', cause);
        }
        throw accessError('UNAUTHENTICATED', {
          cause: new Error(describeCause(cause, options), { cause }),
          hint: hintFor(cause),
        });
      }
    },
  };
}

/** The hint for the token's holder: other reasons appear only in the log. */
const hintFor = (cause: unknown): string =>
  cause instanceof errors.JWTExpired
    ? 'The token has expired. Get a new one from your identity provider.'
    : 'The token is not accepted here. The server log says why, under the x-request-id of this answer.';

/** Why a token is refused, for the operator's log: it names claims and their expected values, and never the token. */
function describeCause(cause: unknown, { issuer, audience }: { issuer: unknown; audience: string }): string {
  if (cause instanceof errors.JWTExpired) return 'The token has expired.';
  if (cause instanceof errors.JWTClaimValidationFailed) {
    const { claim, reason, payload } = cause;
    if (reason === 'missing') return `The claim ${claim} is missing.`;
    const wanted = { aud: audience, iss: typeof issuer === 'string' ? issuer : undefined }[claim];
    const expected = wanted === undefined ? '' : ` This server expects ${shown(wanted)}.`;
    return `The claim ${claim} is ${shown(payload[claim])}, which is not accepted.${expected}`;
  }
  if (cause instanceof errors.JWKSNoMatchingKey) return "The provider's JWKS has no key that fits the token's header.";
  if (cause instanceof errors.JWSSignatureVerificationFailed) return 'The signature is not of the key that it names.';
  if (cause instanceof errors.JOSEAlgNotAllowed) return 'The token is signed with an algorithm that is not accepted.';
  if (cause instanceof errors.JOSEError) return 'The token is not a signed JSON Web Token.';
  return cause instanceof Error ? cause.message : 'The token cannot be read.';
}

const shown = (value: unknown): string => {
  const written = JSON.stringify(value) ?? 'absent';
  return written.length > 200 ? `${written.slice(0, 200)}…` : written;
};

function toIdentity(payload: JWTPayload, names: ClaimNames): Identity {
  const claims = read(claimsSchema, payload);
  const claim = <T>(name: string, schema: z.ZodType<T>) =>
    read(z.object({ [name]: schema.optional() }), payload)[name] ?? null;
  return {
    iss: claims.iss,
    sub: claims.sub,
    aud: claims.aud === undefined ? [] : [claims.aud].flat(),
    email: claims.email ?? null,
    name: claims.name ?? null,
    roles: claim(names.roles, texts) ?? [],
    orgId: claim(names.org, text),
    tenants: claim(names.tenants, texts),
    tenantId: names.tenant && claim(names.tenant, text),
    issuedAt: (claims.iat ?? claims.exp) * 1_000,
    expiresAt: claims.exp * 1_000,
  };
}

function read<T>(schema: z.ZodType<T>, payload: JWTPayload): T {
  const { data, error } = schema.safeParse(payload, { error: inputFault });
  const [issue] = error?.issues ?? [];
  if (issue) throw new Error(`The claim ${issue.path.join('.')} ${issue.message}`);
  return data as T;
}
