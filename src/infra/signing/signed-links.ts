import type { Deps } from '#src/infra/deps.ts';

interface Query {
  expires?: unknown;
  signature?: unknown;
}

/** An address that needs no credentials. */
export interface SignedLinks {
  sign(tenantId: string, id: bigint | number | string): { url: string; expiresAt: Date };
  /** Throws INVALID_SIGNATURE. */
  verify(tenantId: string, id: string, query: Query): void;
}

interface LinkOptions {
  /** The prefix of the REST API that serves the links: `/v1`. */
  api: string;
  path: string;
  ttlSeconds: number;
}

/** Addresses below `path`, which ends with the tenant and an id; each is good for `ttlSeconds`. */
export function createSignedLinks(
  { urlSigner, publicUrl }: Pick<Deps, 'urlSigner' | 'publicUrl'>,
  { api, path, ttlSeconds }: LinkOptions,
): SignedLinks {
  const signer = urlSigner(path);
  const base = `${publicUrl.replace(/\/$/, '')}${api}${path}`;
  return {
    sign(tenantId, id) {
      const { expires, signature } = signer.sign(`${tenantId}/${id}`, { ttlSeconds, now: Date.now() });
      const url = `${base}/${encodeURIComponent(tenantId)}/${encodeURIComponent(String(id))}?expires=${expires}&signature=${signature}`;
      return { url, expiresAt: new Date(expires * 1_000) };
    },
    verify: (tenantId, id, query) => signer.verify(`${tenantId}/${id}`, query, Date.now()),
  };
}
