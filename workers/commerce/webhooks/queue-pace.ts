import { pause } from '#src/infra/timing/timers.ts';
import type { AttemptsInFlight } from './attempts-in-flight.ts';
import type { SendingSettings } from './sending-settings.ts';
import type { Slots } from './slots.ts';

/** Slots of this process for destinations that answer promptly, late or not at all, so that slow ones take none from fast ones. */
export type SlotPools = Record<'healthy' | 'slow' | 'failing', Slots>;

/** After this many failures without a success, a destination gets few attempts at a time, with a pause between them. */
const failuresBeforeCare = 10;
const careful = { concurrency: 2, pauseMs: 100 };
/** The first attempts at a time; each success adds one. A destination that hangs must not take the connections of those that answer. */
const initialConcurrency = 4;

/** Decides when the next attempt of a destination may begin, by its settings, its recent results and the slots of this process. */
export class QueuePace {
  /** True when deliveries are sent one after the other. */
  isOrdered = false;
  readonly #inFlight: AttemptsInFlight;
  readonly #slots: SlotPools;
  readonly #ending: AbortSignal;
  #failures = 0;
  #concurrency = initialConcurrency;
  /** The earliest start of the next attempt, by the monotonic clock. */
  #nextAtMs = 0;
  #onAnswer = (): void => undefined;

  constructor(inFlight: AttemptsInFlight, slots: SlotPools, ending: AbortSignal) {
    this.#inFlight = inFlight;
    this.#slots = slots;
    this.#ending = ending;
  }

  /** Takes a slot without waiting, or returns undefined: of several attempts that end together, most need not wait for a promise. */
  admitNow(settings: SendingSettings): Slots | undefined {
    if (this.#isFull(settings) || settings.ratePerSecond !== null || this.#isCareful) return undefined;
    const slots = this.#slots[this.#inFlight.late > 0 ? 'slow' : 'healthy'];
    return slots.takeNow() ? slots : undefined;
  }

  /** Waits until one more attempt may begin, and takes its slot. */
  async admit(settings: SendingSettings): Promise<Slots> {
    while (this.#isFull(settings))
      await new Promise<void>((resolve) => {
        this.#onAnswer = resolve;
      });
    const { ratePerSecond } = settings;
    const isCareful = this.#isCareful;
    const gapMs = Math.max(ratePerSecond === null ? 0 : 1_000 / ratePerSecond, isCareful ? careful.pauseMs : 0);
    const now = performance.now();
    if (gapMs > 0 && this.#nextAtMs > now) await pause(this.#nextAtMs - now, this.#ending);
    this.#nextAtMs = Math.max(now, this.#nextAtMs) + gapMs;
    const slots = this.#slots[isCareful ? 'failing' : this.#inFlight.late > 0 ? 'slow' : 'healthy'];
    await slots.take();
    return slots;
  }

  /** Lets a waiting attempt look again whether it may begin. */
  answered(): void {
    this.#onAnswer();
  }

  /** Adapts the pace to a result. */
  record(isDelivered: boolean): void {
    this.#failures = isDelivered ? 0 : this.#failures + 1;
    if (isDelivered) this.#concurrency += 1;
    else if (this.#isCareful) this.#concurrency = careful.concurrency;
  }

  get #isCareful(): boolean {
    return this.#failures >= failuresBeforeCare;
  }

  #isFull({ concurrency }: SendingSettings): boolean {
    return this.#inFlight.underWay >= (this.isOrdered ? 1 : Math.min(concurrency, this.#concurrency));
  }
}
