import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import type { Egress } from '#src/infra/egress/egress.ts';

/** The provider did not respond as it should; the token may be valid. */
export class ProviderError extends Error {}

const fetchTimeoutMs = 5_000;
const maxKeysBytes = 1024 * 1024;
const cooldownMs = 30_000;
const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.url() });
const keySetSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

/**
 * Keys of an issuer, found by OIDC discovery at first use, cached and refetched by jose. Anyone can send a token, so tokens must not cause
 * requests to the provider at will: an unknown key id fetches the keys at most once in 30 s, and failures back off. `onError` is called for
 * each failed attempt, because callers learn no details.
 */
export function discoverKeys(
  issuer: string,
  { egress, onError }: { egress: Egress; onError: (error: unknown) => void },
): JWTVerifyGetKey {
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
  const read = async <T>(url: string, schema: z.ZodType<T>): Promise<T> => {
    const { data, error } = schema.safeParse(await get(url));
    const [issue] = error?.issues ?? [];
    if (issue) throw new Error(`${url} is not as OpenID Connect has it: ${issue.path.join('.')}: ${issue.message}.`);
    return data as T;
  };

  async function discover() {
    const found = await read(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, discoverySchema);
    if (found.issuer !== issuer)
      throw new Error(
        `The provider calls itself ${found.issuer}; set OIDC_ISSUER to exactly that instead of ${issuer}.`,
      );
    // Without keys every token is refused, so fetching them is retried soon; a key id that is missing from cached keys can wait.
    const whenDue = createBackoff(1_000, onError);
    const forUnknownId = createBackoff(cooldownMs, onError);
    const keys = createRemoteJWKSet(new URL(found.jwks_uri), {
      cooldownDuration: cooldownMs,
      [customFetch]: async (url: string) => {
        const backoff = keys.fresh ? forUnknownId : whenDue;
        return Response.json(await backoff(() => read(url, keySetSchema)));
      },
    });
    return keys;
  }

  const backoff = createBackoff(1_000, onError);
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

/** Repeats a failure without another attempt for `firstMs`, then for twice as long after each further failure, up to 30 s. */
function createBackoff(firstMs: number, onError: (error: unknown) => void) {
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
      onError(cause);
      throw cause;
    }
  };
}
