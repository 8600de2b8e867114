import { serverNow } from '#console/ui/clock.ts';
import { setConnection } from '#console/ui/connection.ts';

type Socket = 'none' | 'connecting' | 'open' | 'lost';

/** How a client is connected, by its socket and by the queries that wait for an answer; `LiveMark` shows it. */
export class ConnectionWatch {
  #socket: Socket = 'none';
  #unanswered = 0;
  #isEnded = false;

  socketIs(socket: Socket): void {
    this.#socket = socket;
    this.#tell();
  }

  /** A query got no answer and is tried again, until the returned function is called. */
  unanswered(): () => void {
    let counts = true;
    this.#unanswered++;
    this.#tell();
    return () => {
      if (counts) this.#unanswered--;
      counts = false;
      this.#tell();
    };
  }

  /** The client of another tenant tells from now on. */
  end(): void {
    this.#isEnded = true;
  }

  #tell(): void {
    if (this.#isEnded) return;
    const isOffline = this.#unanswered > 0 || this.#socket === 'lost';
    setConnection(isOffline ? 'offline' : this.#socket === 'open' ? 'live' : 'connecting', serverNow());
  }
}
