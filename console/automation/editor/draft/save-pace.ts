/** Milliseconds after the last change, and at most after the first. */
const pauseMs = 400;
const mostMs = 900;
const firstRetryMs = 1_000;
const lastRetryMs = 30_000;

/** When the changes of an edit are sent: within a second of the first, and after a failure less and less often. */
export class SavePace {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unsavedSince: number | undefined;
  #retryMs = firstRetryMs;
  #hasEnded = false;
  readonly #send: () => void;

  constructor(send: () => void) {
    this.#send = send;
  }

  /** Sends after `ms` milliseconds, in place of an earlier plan. */
  plan(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#hasEnded) this.#timer = setTimeout(this.#send, ms);
  }

  /** A change was made; `waits` while a save is on its way or cannot be made, after which another is planned. */
  changed({ waits }: { waits: boolean }): void {
    this.#unsavedSince ??= Date.now();
    if (!waits) this.plan(Math.max(0, Math.min(pauseMs, this.#unsavedSince + mostMs - Date.now())));
  }

  /** Changes were made while a save was on its way. */
  planNext(): void {
    this.plan(pauseMs);
  }

  /** The server could not take the save, and asks to be left alone for `leastMs`. */
  failed(leastMs = 0): void {
    this.plan(Math.max(this.#retryMs, leastMs));
    this.#retryMs = Math.min(this.#retryMs * 2, lastRetryMs);
  }

  answered(): void {
    this.#retryMs = firstRetryMs;
  }

  /** Nothing is unsaved, or what is unsaved is being sent. */
  settle(): void {
    this.#unsavedSince = undefined;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Nothing is planned any more. */
  end(): void {
    this.stop();
    this.#hasEnded = true;
  }
}
