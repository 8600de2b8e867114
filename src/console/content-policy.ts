/** Names that the console may give to policies of Trusted Types: for the frames of theme blocks' previews, and for the worker that checks types. */
const trustedTypes = ['causeway-preview', 'causeway-worker'];

/** The policy of the files of the console. Only a worker follows it: it loads our scripts and sends nothing. */
export const assetPolicy = "default-src 'none'; script-src 'self'";

export interface PolicyOptions {
  /** Of this answer alone, in base64. */
  nonce: string;
  /** Base of the URLs at which browsers reach us. */
  publicUrl: string;
  /** URL of the identity provider. */
  issuer: string;
}

/**
 * The Content-Security-Policy of the console's page: no script and no style but our own, and requests to nobody but us and the identity
 * provider. Libraries that add styles find the nonce in the page.
 */
export function contentPolicy({ nonce, publicUrl, issuer }: PolicyOptions): string {
  const provider = new URL(issuer).origin;
  // Not every browser takes 'self' for sockets of the same host as well.
  const sockets = new URL(publicUrl).origin.replace(/^http/, 'ws');
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self' ${sockets} ${provider}`,
    "frame-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'self'",
    `form-action 'self' ${provider}`,
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${trustedTypes.join(' ')}`,
  ].join('; ');
}
