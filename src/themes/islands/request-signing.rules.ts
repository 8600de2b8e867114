import { randomUUID } from 'node:crypto';
import type { Deps } from '#src/infra/deps.ts';
import { signMessage } from '#src/infra/signing/webhook-signatures.ts';

/**
 * The secret that an extension and this installation share, by which the extension recognises our requests. It is derived from the
 * installation's own signing secret, so every process knows it and no table holds it.
 */
export function extensionSecrets({ urlSigner }: Pick<Deps, 'urlSigner'>): (extension: ExtensionName) => string {
  // The key is derived once: deriving it for each request took as long as sending the request.
  const signer = urlSigner('extension-requests');
  return ({ vendor, name }) => {
    const { signature } = signer.sign(`${vendor}/${name}`, { ttlSeconds: 0, now: 0 });
    return `whsec_${Buffer.from(signature, 'base64url').toString('base64')}`;
  };
}

interface ExtensionName {
  vendor: string;
  name: string;
}

/**
 * The headers of Standard Webhooks over a request without a body: in place of the body, the path with its query is signed, as it is in the
 * request line.
 */
export function requestSignature(secret: string, pathAndQuery: string): Record<string, string> {
  const id = randomUUID();
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = signMessage({ id, timestamp, body: Buffer.from(pathAndQuery, 'utf8') }, [secret]);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
}
