import type { Deps } from '#src/infra/deps.ts';

interface Query {
  expires?: unknown;
  signature?: unknown;
}

/** An address of the platform API that needs no key. */
export interface Links {
  sign(tenantId: string, id: bigint | number): { url: string; expiresAt: Date };
  /** Throws INVALID_SIGNATURE. */
  verify(tenantId: string, id: string, query: Query): void;
}

/** Addresses below `path`, which ends with the tenant and an id; each is good for `ttlSeconds`. */
export function createLinks(
  { urlSigner, publicUrl }: Pick<Deps, 'urlSigner' | 'publicUrl'>,
  { path, ttlSeconds }: { path: string; ttlSeconds: number },
): Links {
  const signer = urlSigner(path);
  const base = publicUrl.replace(/\/$/, '');
  return {
    sign(tenantId, id) {
      const { expires, signature } = signer.sign(`${tenantId}/${id}`, { ttlSeconds, now: Date.now() });
      const url = `${base}/v1${path}/${encodeURIComponent(tenantId)}/${id}?expires=${expires}&signature=${signature}`;
      return { url, expiresAt: new Date(expires * 1_000) };
    },
    verify: (tenantId, id, query) => signer.verify(`${tenantId}/${id}`, query, Date.now()),
  };
}
