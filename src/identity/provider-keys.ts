import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import type { Egress } from '#src/infra/egress/egress.ts';

/** The provider did not answer as it should, which says nothing about the token. */
export class ProviderError extends Error {}

const fetchTimeoutMs = 5_000;
const maxKeysBytes = 1024 * 1024;
const cooldownMs = 30_000;
const discoverySchema = (issuer: string) => z.object({ issuer: z.literal(issuer), jwks_uri: z.url() });
const keySetSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

/**
 * Keys of an issuer, found by OIDC discovery at first use, cached and refetched by jose. Anyone can send a token, so tokens
 * must not drive requests to the provider: an unknown key id fetches the keys once in 30 s, and failures back off.
 */
export function discoverKeys(issuer: string, egress: Egress): JWTVerifyGetKey {
  const get = async (url: string): Promise<unknown> => {
    const { status, body } = await egress.request({
      method: 'GET',
      url,
      timeoutMs: fetchTimeoutMs,
      maxBytes: maxKeysBytes,
    });
    if (status !== 200) throw new Error(`${url} answered ${status}.`);
    return JSON.parse(body.toString('utf8'));
  };

  async function discover() {
    const found = await get(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const { jwks_uri: jwks } = discoverySchema(issuer).parse(found);
    // Without keys no token passes, so those are asked for again soon; a key id that the kept keys lack can wait.
    const whenDue = createBackoff(1_000);
    const forUnknownId = createBackoff(cooldownMs);
    const keys = createRemoteJWKSet(new URL(jwks), {
      cooldownDuration: cooldownMs,
      [customFetch]: async (url: string) => {
        const backoff = keys.fresh ? forUnknownId : whenDue;
        return Response.json(await backoff(async () => keySetSchema.parse(await get(url))));
      },
    });
    return keys;
  }

  const backoff = createBackoff(1_000);
  let found: ReturnType<typeof discover> | undefined;
  return async (header, token) => {
    found ??= backoff(discover).catch((cause: unknown) => {
      found = undefined;
      throw new ProviderError('The identity provider could not be discovered.', { cause });
    });
    const keys = await found;
    try {
      return await keys(header, token);
    } catch (cause) {
      throw cause instanceof errors.JOSEError ? cause : new ProviderError('The keys could not be fetched.', { cause });
    }
  };
}

/** Repeats a failure without another attempt for `firstMs`, then for twice as long after each further one, up to 30 s. */
function createBackoff(firstMs: number) {
  let failures = 0;
  let failure: unknown;
  let until = 0;
  return async <T>(attempt: () => Promise<T>): Promise<T> => {
    if (Date.now() < until) throw failure;
    try {
      const result = await attempt();
      failures = 0;
      return result;
    } catch (cause) {
      until = Date.now() + Math.min(cooldownMs, firstMs * 2 ** Math.min(failures, 16));
      failures += 1;
      failure = cause;
      throw cause;
    }
  };
}
