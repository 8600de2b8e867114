import { serverNow } from '#console/session/server-clock.ts';

export interface ConnectionState {
  /** `idle`: nothing on the page is live, so there is no socket. */
  kind: 'idle' | 'connecting' | 'live' | 'offline';
  /** Epoch milliseconds by the server's clock. */
  since: number;
}

type Socket = 'none' | 'connecting' | 'open' | 'lost';

/** How the page is connected to the server, by its socket and by the queries that wait for an answer. */
export class Connection {
  #state: ConnectionState = { kind: 'idle', since: serverNow() };
  #socket: Socket = 'none';
  #unanswered = 0;
  readonly #listeners = new Set<() => void>();

  /** The same object until it changes. */
  get state(): ConnectionState {
    return this.#state;
  }

  /** Returns the function that stops the calls. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  socketIs(socket: Socket): void {
    this.#socket = socket;
    this.#update();
  }

  /** A query got no answer and is tried again, until the returned function is called. */
  unanswered(): () => void {
    let counts = true;
    this.#unanswered++;
    this.#update();
    return () => {
      if (counts) this.#unanswered--;
      counts = false;
      this.#update();
    };
  }

  #update(): void {
    const kind = this.#kind();
    if (kind === this.#state.kind) return;
    this.#state = { kind, since: serverNow() };
    for (const listener of this.#listeners) listener();
  }

  #kind(): ConnectionState['kind'] {
    if (this.#unanswered > 0 || this.#socket === 'lost') return 'offline';
    return ({ none: 'idle', connecting: 'connecting', open: 'live' } as const)[this.#socket];
  }
}
