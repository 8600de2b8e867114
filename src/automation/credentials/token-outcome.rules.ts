import type { TokenEndpointResponse } from 'openid-client';

/** The timeout of a request for a token; the lease of a refresh is longer. */
export const tokenRequestMs = 10_000;

/** How a request for tokens ended. A reason completes a sentence and contains no secret. */
export type TokenOutcome =
  | { kind: 'granted'; tokens: TokenEndpointResponse }
  /** The provider rejected the code or the refresh token. `error` is its code. */
  | { kind: 'refused'; error: string }
  /** The client is rejected, or its URL may not be called: a retry fails until someone changes the config. */
  | { kind: 'misconfigured'; reason: string }
  /** No response, or one that says nothing about the grant. A retry may work later. */
  | { kind: 'unavailable'; reason: string };
