import { SignedOut, SignInFault, type SignInReason, toFault } from './faults.ts';
import type { PeerListener, Peers } from './peers.ts';
import { type Attempt, newAttempt, type Provider } from './provider.ts';
import { type Claims, HeldTokens, type Tokens } from './tokens.ts';

export type SessionState =
  | { kind: 'signed-in' }
  /** The token has run out and the issuer does not answer; it is asked again. */
  | { kind: 'waiting' }
  | { kind: 'signed-out'; reason: SignInReason; detail: string | null };

export interface Session {
  /** Who is signed in, or was before the session ended. */
  readonly claims: Claims;
  /** The same object until it changes. */
  readonly state: SessionState;
  /**
   * A token that is good for at least 30 s, or for half of its life if that is shorter. `refused` is one that the API did not accept: then
   * it is another one. Rejects with SignedOut when the session has ended, and with a SignInFault when the issuer does not answer.
   */
  accessToken(refused?: string): Promise<string>;
  /** Calls the listener at each new token and each change of `state`. Returns the function that stops that. */
  subscribe(listener: () => void): () => void;
  /** Signs in again in a window of its own, so that this page stays as it is. Call it in the handler of a click. */
  signIn(): Promise<void>;
  /** Ends the session here, in all tabs and at the issuer, and leaves the page. */
  signOut(): Promise<void>;
}

const signedIn: SessionState = { kind: 'signed-in' };
const waiting: SessionState = { kind: 'waiting' };
/** After an issuer that did not answer. */
const retryMs = 5_000;
/** The API refused two tokens within this time: more would be refused too. */
const refusedAgainMs = 10_000;

/** A session that all tabs of the browser share. */
export class SharedSession implements Session, PeerListener {
  readonly #provider: Provider;
  readonly #peers: Peers;
  readonly #listeners = new Set<() => void>();
  /** Sign-ins that this tab began in windows. */
  readonly #attempts = new Map<string, Attempt>();
  #held: HeldTokens;
  #state: SessionState = signedIn;
  #refreshing: Promise<void> | null = null;
  #renewed = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(provider: Provider, peers: Peers, tokens: Tokens) {
    this.#provider = provider;
    this.#peers = peers;
    this.#held = new HeldTokens(tokens);
    peers.join(this);
    this.#schedule(this.#held.renewInMs);
  }

  get claims(): Claims {
    return this.#held.tokens.claims;
  }

  get state(): SessionState {
    return this.#state;
  }

  async accessToken(refused?: string): Promise<string> {
    const isRefused = this.#held.tokens.accessToken === refused;
    if (isRefused && performance.now() - this.#renewed < refusedAgainMs) this.#end('token-refused');
    this.#expectSignedIn();
    if (isRefused || !this.#held.isGood) await this.#refresh();
    this.#expectSignedIn();
    if (isRefused) this.#renewed = performance.now();
    return this.#held.tokens.accessToken;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async signIn(): Promise<void> {
    // Before anything is awaited, because browsers block windows that open later than the click.
    const popup = window.open('', 'causeway-sign-in', 'popup,width=520,height=700');
    if (!popup) throw new SignInFault('window-blocked');
    const attempt = newAttempt();
    try {
      const address = await this.#provider.authorizationAddress(attempt);
      this.#attempts.set(attempt.state, attempt);
      popup.location.replace(address);
    } catch (error) {
      popup.close();
      throw error;
    }
  }

  async signOut(): Promise<void> {
    const { idToken } = this.#held.tokens;
    this.#end('signed-out');
    // An issuer that does not answer cannot end its session, but the tokens are gone from here.
    const address = await this.#provider.endSessionAddress(idToken).catch(() => null);
    location.assign(address ?? this.#provider.redirectUri);
  }

  current(): Tokens | null {
    return this.#isOut ? null : this.#held.shared;
  }

  received(tokens: Tokens): void {
    if (tokens.obtainedAt > this.#held.tokens.obtainedAt) this.#adopt(tokens);
  }

  ended(reason: SignInReason, obtainedAt: number): void {
    if (obtainedAt >= this.#held.tokens.obtainedAt) this.#become({ kind: 'signed-out', reason, detail: null });
  }

  returned(state: string, address: string): boolean {
    const attempt = this.#attempts.get(state);
    if (!attempt) return false;
    this.#attempts.clear();
    this.#provider.exchange(address, attempt).then(
      (tokens) => {
        this.#adopt(tokens);
        this.#peers.share(tokens);
      },
      (error: unknown) => {
        const { reason, detail } = toFault(error, 'interrupted');
        this.#become({ kind: 'signed-out', reason, detail });
      },
    );
    return true;
  }

  #refresh(): Promise<void> {
    this.#refreshing ??= this.#refreshAlone(this.#held).finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  /** One tab refreshes for all: a tab that waited for its turn finds the tokens of the one before. */
  async #refreshAlone(before: HeldTokens): Promise<void> {
    await this.#peers.alone(async () => {
      if (this.#held !== before || this.#isOut) return;
      const { refreshToken } = before.tokens;
      if (refreshToken === null) return this.#end('expired');
      try {
        const tokens = await this.#provider.refresh(before.tokens, refreshToken);
        // Somebody may have signed out meanwhile, here or in another tab.
        if (this.#isOut) return;
        this.#peers.share(tokens);
        this.#adopt(tokens);
      } catch (error) {
        const { reason, detail } = toFault(error, 'ended');
        if (reason !== 'issuer-down') return this.#end(reason, detail);
        this.#schedule(retryMs);
        if (!before.isGood) this.#become(waiting);
        throw error;
      }
    });
  }

  #adopt(tokens: Tokens): void {
    this.#held = new HeldTokens(tokens);
    this.#schedule(this.#held.renewInMs);
    this.#state = signedIn;
    this.#tell();
  }

  #end(reason: SignInReason, detail: string | null = null): void {
    if (this.#isOut) return;
    this.#peers.end(reason, this.#held.tokens.obtainedAt);
    this.#become({ kind: 'signed-out', reason, detail });
  }

  #become(state: SessionState): void {
    if (state.kind === 'signed-out') clearTimeout(this.#timer);
    this.#state = state;
    this.#tell();
  }

  /** Renews ahead, because sockets last no longer than their token. */
  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    // Errors are in `state` by then; the next try is scheduled.
    this.#timer = setTimeout(() => void this.#refresh().catch(() => undefined), ms);
  }

  get #isOut(): boolean {
    return this.#state.kind === 'signed-out';
  }

  #expectSignedIn(): void {
    if (this.#state.kind === 'signed-out') throw new SignedOut(this.#state.reason);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
