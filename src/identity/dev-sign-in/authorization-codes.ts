import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AuthorizationRequest } from './authorization-request.ts';

/** A sign-in that a code stands for. */
export interface SignIn {
  request: AuthorizationRequest;
  /** Claims of the tokens: the subject, its roles, organisation and tenants. */
  claims: Record<string, unknown>;
}

interface Issued extends SignIn {
  expiresAt: number;
}

const lifetimeMs = 60_000;
const maxCodes = 1_000;

/**
 * Authorization codes: each can be exchanged once, within 60 s. They live in this process, because a code that a restart loses only
 * makes the browser sign in again.
 */
export class AuthorizationCodes {
  readonly #issued = new Map<string, Issued>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  issue(signIn: SignIn): string {
    for (const [code, { expiresAt }] of this.#issued) {
      if (expiresAt > this.#now() && this.#issued.size < maxCodes) break;
      this.#issued.delete(code);
    }
    const code = randomBytes(32).toString('base64url');
    this.#issued.set(code, { ...signIn, expiresAt: this.#now() + lifetimeMs });
    return code;
  }

  /** The code's sign-in, if the exchange comes from the client that began it. A code is spent by its first use, right or wrong. */
  redeem(code: string, exchange: { clientId: string; redirectUri: string; verifier: string }): SignIn | undefined {
    const issued = this.#issued.get(code);
    this.#issued.delete(code);
    if (!issued || issued.expiresAt <= this.#now()) return undefined;
    const { request } = issued;
    const isClient = request.clientId === exchange.clientId && request.redirectUri === exchange.redirectUri;
    return isClient && answersChallenge(exchange.verifier, request.codeChallenge) ? issued : undefined;
  }
}

/** RFC 7636, section 4.6, for S256. */
function answersChallenge(verifier: string, challenge: string): boolean {
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false;
  const digest = createHash('sha256').update(verifier).digest();
  return timingSafeEqual(digest, Buffer.from(challenge, 'base64url'));
}
