/** Who is signed in, by the claims of the id token. */
export interface Claims {
  sub: string;
  name: string | null;
  email: string | null;
}

/** The tokens of a session as tabs hand them to each other. They are kept in memory only. */
export interface Tokens {
  accessToken: string;
  /** Null if the issuer gave none; the session then ends with the access token. */
  refreshToken: string | null;
  /** Tells the issuer at the end whose session to end. */
  idToken: string | null;
  claims: Claims;
  /** How long the access token is good for from now on, in milliseconds; by the issuer, not by a clock. */
  remainingMs: number;
  /** How long the access token was good for when it was issued, in milliseconds. */
  lifetimeMs: number;
  /** Orders the tokens of one browser: the highest wins. Epoch milliseconds of the browser's clock. */
  obtainedAt: number;
}

/** A request may take this long after it got its token. */
const enoughMs = 30_000;
const renewMs = 60_000;

/** Tokens with the instant at which they were received, by two clocks. */
export class HeldTokens {
  readonly tokens: Tokens;
  readonly #steady = performance.now();
  readonly #wall = Date.now();

  constructor(tokens: Tokens) {
    this.tokens = tokens;
  }

  /**
   * Milliseconds that the access token is still good for. The steady clock stands still while some machines sleep and the wall clock can be
   * set back, so the one that says more time has passed is believed.
   */
  get remainingMs(): number {
    const passed = Math.max(performance.now() - this.#steady, Date.now() - this.#wall);
    return this.tokens.remainingMs - passed;
  }

  /** True if a request that starts now can be made with it: 30 s, or half of a shorter life. */
  get isGood(): boolean {
    return this.remainingMs >= Math.min(enoughMs, this.tokens.lifetimeMs / 2);
  }

  /** Milliseconds until it should be renewed: a minute before its end, or after two thirds of a shorter life. */
  get renewInMs(): number {
    return Math.max(0, this.remainingMs - Math.min(renewMs, this.tokens.lifetimeMs / 3));
  }

  /** The tokens for another tab. */
  get shared(): Tokens {
    return { ...this.tokens, remainingMs: this.remainingMs };
  }
}
