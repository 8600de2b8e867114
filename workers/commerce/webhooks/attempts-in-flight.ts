import type { Slots } from './slots.ts';

/** An attempt whose result is not recorded yet. */
export interface Begun {
  readonly deliveryId: number;
  /** True when its delivery is new, and therefore found by its id instead of a time. */
  readonly isNew: boolean;
  readonly slots: Slots;
  readonly sinceMs: number;
  isAnswered: boolean;
  /** True when it has given up its slot. */
  isLate: boolean;
}

/** An attempt that takes longer gives its slot to another destination. */
const promptMs = 1_000;
/** Interval of the check for late attempts; a timer for each attempt would cost a microsecond each. */
const lookMs = 100;

/** The attempts of one destination that are in flight: waiting for an answer, or answered and not recorded yet. */
export class AttemptsInFlight {
  /** Attempts without an answer, and how many of them have waited longer than a prompt answer takes. */
  underWay = 0;
  late = 0;
  readonly #healthy: Slots;
  readonly #byId = new Map<number, Begun>();
  #isLooking = false;
  #onEmpty: (() => void)[] = [];

  /** Only attempts in `healthy` slots give them up when they are late. */
  constructor(healthy: Slots) {
    this.#healthy = healthy;
  }

  get size(): number {
    return this.#byId.size;
  }

  has(deliveryId: number): boolean {
    return this.#byId.has(deliveryId);
  }

  /** The deliveries in flight that are due at a time, such as retries. */
  get timedIds(): number[] {
    return [...this.#byId.values()].filter(({ isNew }) => !isNew).map(({ deliveryId }) => deliveryId);
  }

  /** The lowest id of a new delivery in flight; infinite if there is none. */
  get firstNewId(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const { isNew, deliveryId } of this.#byId.values()) if (isNew && deliveryId < first) first = deliveryId;
    return first;
  }

  begin(deliveryId: number, isNew: boolean, slots: Slots): Begun {
    const begun = { deliveryId, isNew, slots, sinceMs: performance.now(), isAnswered: false, isLate: false };
    this.#byId.set(deliveryId, begun);
    this.underWay += 1;
    if (!this.#isLooking) setTimeout(this.#look, lookMs);
    this.#isLooking = true;
    return begun;
  }

  answered(begun: Begun): void {
    begun.isAnswered = true;
    this.underWay -= 1;
    if (begun.isLate) this.late -= 1;
  }

  /** Removes an attempt whose result is recorded or given up. */
  done(begun: Begun): void {
    this.#byId.delete(begun.deliveryId);
    if (!begun.isLate) begun.slots.give();
    if (this.#byId.size > 0) return;
    for (const resolve of this.#onEmpty.splice(0)) resolve();
  }

  /** Resolves when no attempt is in flight. */
  async allDone(): Promise<void> {
    if (this.#byId.size > 0) await new Promise<void>((resolve) => this.#onEmpty.push(resolve));
  }

  readonly #look = (): void => {
    const before = performance.now() - promptMs;
    for (const begun of this.#byId.values()) {
      if (begun.isAnswered || begun.isLate || begun.sinceMs > before || begun.slots !== this.#healthy) continue;
      begun.isLate = true;
      this.late += 1;
      begun.slots.give();
    }
    this.#isLooking = this.underWay > 0;
    if (this.#isLooking) setTimeout(this.#look, lookMs);
  };
}
