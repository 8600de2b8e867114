import type { Progress } from './sending-statements.ts';

/** How far the new deliveries of a destination have been sent, and what must be read again. Ids of deliveries are ascending. */
export class QueueCursor {
  /** The last new delivery whose attempt has begun or that was skipped; undefined before the first read. */
  #position: number | undefined;
  /** The database server that the position was read from. */
  #server: string | undefined;
  /** The first new delivery whose result could not be recorded. */
  #retryFrom = Number.POSITIVE_INFINITY;
  /** True while the server may not know the position: after a failover, or a failed statement. */
  #isStale = false;

  get position(): number | undefined {
    return this.#position;
  }

  /** True when deliveries must be read again. Attempts in flight must end first, or they would be read again too. */
  get mustRewind(): boolean {
    return this.#isStale || Number.isFinite(this.#retryFrom);
  }

  startAt(position: number): void {
    this.#position ??= position;
  }

  advanceTo(position: number): void {
    this.#position = position;
  }

  /** Reads the delivery and later ones again. */
  retryFrom(deliveryId: number): void {
    this.#retryFrom = Math.min(this.#retryFrom, deliveryId);
  }

  invalidate(): void {
    this.#isStale = true;
  }

  rewind(): void {
    if (this.#isStale) this.#position = undefined;
    if (this.#position !== undefined) this.#position = Math.min(this.#position, this.#retryFrom - 1);
    this.#isStale = false;
    this.#retryFrom = Number.POSITIVE_INFINITY;
  }

  /** Records the server that answered; false if another one answered before. */
  readFrom(server: string): boolean {
    const isSame = this.#server === undefined || this.#server === server;
    this.#server = server;
    return isSame;
  }

  /** The progress to record as sent: everything before the first delivery that is in flight or must be retried. */
  progress(firstInFlight: number): Pick<Progress, 'server' | 'sentTo'> {
    const isKnown = this.#position !== undefined && !this.#isStale;
    return {
      server: this.#server,
      sentTo: isKnown ? Math.min(this.#position as number, this.#retryFrom - 1, firstInFlight - 1) : undefined,
    };
  }
}
