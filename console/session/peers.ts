import type { ConsoleConfig } from './config.ts';
import type { SignInReason } from './faults.ts';
import type { Tokens } from './tokens.ts';

/** What tabs of one origin and issuer tell each other. */
type Message =
  | { kind: 'ask' }
  | { kind: 'tokens'; tokens: Tokens }
  | { kind: 'ended'; reason: SignInReason; obtainedAt: number }
  /** A sign-in window came back from the issuer; only the tab that began the attempt can use the code. */
  | { kind: 'returned'; state: string; address: string }
  | { kind: 'taken'; state: string };

/** What a tab does with what others tell it. */
export interface PeerListener {
  /** The tokens to give to a tab that asks. */
  current(): Tokens | null;
  received(tokens: Tokens): void;
  ended(reason: SignInReason, obtainedAt: number): void;
  /** True if this tab began the attempt. */
  returned(state: string, address: string): boolean;
}

/** The other tabs, over a BroadcastChannel. */
export class Peers {
  readonly #name: string;
  readonly #channel: BroadcastChannel;
  readonly #waiting = new Set<(message: Message) => void>();
  #listener: PeerListener | null = null;

  constructor({ issuer, clientId }: ConsoleConfig) {
    this.#name = `causeway-session ${issuer} ${clientId}`;
    this.#channel = new BroadcastChannel(this.#name);
    this.#channel.addEventListener('message', ({ data }: MessageEvent<Message>) => this.#hear(data));
  }

  /** From now on this tab answers others, who learn from a shared lock that there is somebody to ask. */
  join(listener: PeerListener): void {
    this.#listener = listener;
    const forever = new Promise<never>(() => undefined);
    void navigator.locks.request(`${this.#name} alive`, { mode: 'shared' }, () => forever).catch(() => undefined);
  }

  /** The tokens of another tab; null at once if there is no other, and after a second if none has any: a busy tab answers late. */
  async ask(): Promise<Tokens | null> {
    const { held = [] } = await navigator.locks.query();
    if (!held.some(({ name }) => name === `${this.#name} alive`)) return null;
    const answer = this.#wait(1_000, (message) => message.kind === 'tokens');
    this.#send({ kind: 'ask' });
    const message = await answer;
    return message?.kind === 'tokens' ? message.tokens : null;
  }

  /**
   * Runs `work` while no other tab does. It starts 100 ms after the lock is granted, because the tokens that the tab before sent may arrive
   * later than its lock is released.
   */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    return await navigator.locks.request(`${this.#name} refresh`, async () => {
      await this.#wait(100, () => false);
      return work();
    });
  }

  share(tokens: Tokens): void {
    this.#send({ kind: 'tokens', tokens });
  }

  end(reason: SignInReason, obtainedAt: number): void {
    this.#send({ kind: 'ended', reason, obtainedAt });
  }

  /** Hands the address at which a sign-in window returned to the tab that opened it. False if no tab takes it within 3 s. */
  async hand(state: string, address: string): Promise<boolean> {
    const taken = this.#wait(3_000, (message) => message.kind === 'taken' && message.state === state);
    this.#send({ kind: 'returned', state, address });
    return (await taken) !== null;
  }

  #hear(message: Message): void {
    for (const waiting of this.#waiting) waiting(message);
    const listener = this.#listener;
    if (!listener) return;
    if (message.kind === 'tokens') listener.received(message.tokens);
    if (message.kind === 'ended') listener.ended(message.reason, message.obtainedAt);
    if (message.kind === 'ask') {
      const tokens = listener.current();
      if (tokens) this.share(tokens);
    }
    if (message.kind === 'returned' && listener.returned(message.state, message.address)) {
      this.#send({ kind: 'taken', state: message.state });
    }
  }

  #send(message: Message): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target: it reaches this origin alone
    this.#channel.postMessage(message);
  }

  #wait(ms: number, isAnswer: (message: Message) => boolean): Promise<Message | null> {
    return new Promise((resolve) => {
      const done = (message: Message | null): void => {
        clearTimeout(timer);
        this.#waiting.delete(heard);
        resolve(message);
      };
      const heard = (message: Message): void => {
        if (isAnswer(message)) done(message);
      };
      const timer = setTimeout(() => done(null), ms);
      this.#waiting.add(heard);
    });
  }
}
