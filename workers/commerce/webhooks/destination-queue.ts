import type { Deps } from '#src/infra/deps.ts';
import { createRepeatedWarning } from '#src/infra/logs/repeated-warning.ts';
import { isPassing, outageRetryMs } from '#src/infra/postgres/outages.ts';
import { pause } from '#src/infra/timing/timers.ts';
import { createWakeUp } from '#src/infra/timing/wake-up.ts';
import { attempt, type Outcome } from './attempt.ts';
import { AttemptsInFlight, type Begun } from './attempts-in-flight.ts';
import { QueueCursor } from './queue-cursor.ts';
import { QueuePace, type SlotPools } from './queue-pace.ts';
import { isGone, judge } from './sending-rules.ts';
import type { SendingSettings } from './sending-settings.ts';
import type { DueDelivery, Progress, QueueKey, Reading } from './sending-statements.ts';
import { type Batch, disableGone, holdAll, readBatch, release, type Reported } from './sending.ts';

export interface QueueOptions {
  deps: Deps;
  owner: string;
  slots: SlotPools;
  /** Writes a result; resolves when it is durable, and rejects when it is given up. */
  report: (result: Reported) => Promise<void>;
  /** True while the lease holds, by this process's clock. */
  isLeased: () => boolean;
  /** How long to wait before looking again for a secret that is missing. */
  secretCheckMs: number;
}

/** A queue is kept for this long after its last delivery, so that a steady trickle needs no claim for each. */
const lingerMs = 1_000;
/** Deliveries per read, as a multiple of the concurrency; while all deliveries of a read are skipped, the other limit applies. */
const readAhead = 8;
const skippedPerRead = 1_000;
const leaseCheckMs = 100;
/** The first pause before another attempt to give a queue back. */
const releaseRetryMs = 200;

const warnOfRelease = createRepeatedWarning('A webhook queue could not be given back; its lease ends by itself.');

/** Sends the deliveries of one destination for as long as this process has its queue. */
export class DestinationQueue {
  readonly key: QueueKey;
  /** Resolves when no attempt is in flight and the queue is given back. */
  readonly ended: Promise<void>;
  readonly #options: QueueOptions;
  readonly #stopping = new AbortController();
  readonly #wakeUp = createWakeUp();
  readonly #cursor = new QueueCursor();
  readonly #inFlight: AttemptsInFlight;
  readonly #pace: QueuePace;
  /** The next batch, read while this one is sent. */
  #nextBatch: Promise<Batch | undefined> | undefined;
  /** True when new settings or a result may have made the batch that was read ahead outdated. */
  #hasChanged = false;
  /** True from an answer 410 until the destination is disabled; nothing is sent meanwhile. */
  #isGone = false;
  /** True when the destination fails, as it was last written. */
  #isFailing = false;
  /** How long no sender needs to claim the queue. */
  #notBeforeMs = 0;

  constructor(key: QueueKey, options: QueueOptions) {
    this.key = key;
    this.#options = options;
    this.#inFlight = new AttemptsInFlight(options.slots.healthy);
    this.#pace = new QueuePace(this.#inFlight, options.slots, this.#stopping.signal);
    this.ended = this.#live();
  }

  /** How far new deliveries are recorded as sent, and on which server; undefined before any was read. */
  get progress(): Progress {
    return { ...this.key, ...this.#cursor.progress(this.#inFlight.firstNewId) };
  }

  /** True when it waits only for answers, and all of them are late. */
  get isStuck(): boolean {
    return this.#inFlight.late > 0 && this.#inFlight.late === this.#inFlight.underWay;
  }

  /** Signals that there is more to send; `changed`: the settings have changed. */
  wake(changed: boolean): void {
    this.#hasChanged ||= changed;
    this.#wakeUp.signal();
  }

  /** Reads the position again, since the database may have lost what it is based on. */
  reread(): void {
    this.#invalidateCursor();
    this.#wakeUp.signal();
  }

  /** Begins no further attempt. */
  stop(): void {
    this.#stopping.abort();
    this.#wakeUp.signal();
  }

  async #live(): Promise<void> {
    try {
      await this.#run();
    } catch (error) {
      if (!isPassing(error)) this.#notBeforeMs = lingerMs;
      this.#cursor.invalidate();
      this.#options.deps.log.warn({ err: error, ...this.key }, 'A webhook queue could not be read; retrying.');
    }
    await this.#inFlight.allDone();
    await this.#nextBatch?.catch(() => undefined);
    await this.#giveBack();
  }

  async #run(): Promise<void> {
    let limit = 10;
    while (!this.#stopping.signal.aborted) {
      if (!this.#options.isLeased()) {
        await pause(leaseCheckMs, this.#stopping.signal);
        continue;
      }
      const batch = await this.#takeBatch(limit);
      if (!batch) return;
      const { settings, readTo } = batch;
      if (!this.#cursor.readFrom(settings.server)) {
        this.#invalidateCursor();
        continue;
      }
      this.#cursor.startAt(settings.sentTo);
      if (settings.isDisabled) return holdAll(this.#options.deps, this.key);
      if (settings.obstacle !== null) {
        this.#notBeforeMs = this.#options.secretCheckMs;
        return;
      }
      const areAllSkipped = batch.due.length === 0 && readTo !== undefined;
      limit = areAllSkipped ? skippedPerRead : settings.ordered ? 1 : readAhead * settings.concurrency;
      if (this.#inFlight.size === 0) this.#isFailing = settings.fails;
      if (settings.ordered !== this.#pace.isOrdered) {
        // Deliveries that were read in the former order are read again.
        this.#pace.isOrdered = settings.ordered;
      } else if (areAllSkipped) {
        this.#cursor.advanceTo(readTo);
      } else if (!(await this.#sendOrLinger(batch, limit))) return;
    }
  }

  /** Returns the batch that was read ahead, or reads a new one when something has changed since. */
  async #takeBatch(limit: number): Promise<Batch | undefined> {
    const readBefore = this.#nextBatch;
    this.#nextBatch = undefined;
    const batch = await readBefore;
    if (batch && !this.#isInterrupted && performance.now() <= batch.goodUntil) return batch;
    if (this.#isGone || this.#cursor.mustRewind) await this.#inFlight.allDone();
    this.#isGone = false;
    this.#cursor.rewind();
    this.#hasChanged = false;
    return this.#read(limit, { newAfter: this.#cursor.position });
  }

  #read(limit: number, from: Pick<Reading, 'after' | 'newAfter'>): Promise<Batch | undefined> {
    const { deps, owner } = this.#options;
    const reading = { ...from, except: this.#inFlight.timedIds, limit };
    return readBatch(deps, { ...this.key, owner, ordered: this.#pace.isOrdered }, reading);
  }

  /** Sends what is due; with nothing due, waits a while for more. False when the queue may be given back. */
  async #sendOrLinger(batch: Batch, limit: number): Promise<boolean> {
    const due = batch.due.filter(({ id }) => !this.#inFlight.has(id));
    if (due.length === 0) {
      const startedAt = performance.now();
      await this.#wakeUp.wait(lingerMs);
      return this.#inFlight.size > 0 || performance.now() - startedAt < lingerMs;
    }
    await this.#sendBatch(batch, due, limit);
    if (this.#pace.isOrdered) await this.#inFlight.allDone();
    // A later delivery wakes it, so that a trickle of events costs one read each.
    else if (batch.isAll) await this.#wakeUp.wait(lingerMs);
    return true;
  }

  /** Begins an attempt for each delivery. Reads the next batch halfway through one that is not the last. */
  async #sendBatch(
    { settings, readTo, isAll, goodUntil }: Batch,
    due: readonly DueDelivery[],
    limit: number,
  ): Promise<void> {
    const middle = due[Math.floor(due.length / 2)];
    for (const delivery of due) {
      // The first delivery of each batch is always sent, so that a low rate limit cannot make it read forever without sending.
      const isOutdated = delivery !== due[0] && performance.now() > goodUntil;
      const slots = isOutdated ? undefined : (this.#pace.admitNow(settings) ?? (await this.#pace.admit(settings)));
      if (!slots || this.#isInterrupted) {
        slots?.give();
        // Reads the rest again instead of what was read ahead behind it.
        this.#hasChanged = true;
        return;
      }
      if (!this.#pace.isOrdered && !isAll && delivery === middle) {
        const lastTimed = due.findLast(({ dueAt }) => dueAt !== null);
        this.#nextBatch = this.#read(limit, { after: lastTimed, newAfter: readTo ?? this.#cursor.position });
        this.#nextBatch.catch(() => undefined);
      }
      const isNew = delivery.dueAt === null;
      if (isNew) this.#cursor.advanceTo(delivery.id);
      void this.#send(settings, delivery, this.#inFlight.begin(delivery.id, isNew, slots));
    }
    if (readTo !== undefined) this.#cursor.advanceTo(readTo);
  }

  async #send(settings: SendingSettings, delivery: DueDelivery, begun: Begun): Promise<void> {
    const { deps } = this.#options;
    try {
      const outcome = await this.#attempt(settings, delivery, begun);
      if (isGone(outcome.httpCode)) this.#isGone = this.#hasChanged = true;
      await this.#report(settings, delivery, outcome);
      if (isGone(outcome.httpCode)) await disableGone(deps, this.key, settings.orgId);
    } catch (error) {
      const at = { ...this.key, deliveryId: delivery.id };
      deps.log.error({ err: error, ...at }, 'A webhook was not sent, or its result is lost.');
      if (delivery.dueAt === null) this.#cursor.retryFrom(delivery.id);
      this.#hasChanged = true;
    } finally {
      this.#inFlight.done(begun);
    }
  }

  async #attempt(settings: SendingSettings, delivery: DueDelivery, begun: Begun): Promise<Outcome> {
    try {
      return await attempt(this.#options.deps, settings, delivery);
    } finally {
      this.#inFlight.answered(begun);
      // The batch is referenced until its last delivery has begun, which would move all bodies to V8's old generation.
      delivery.body = '';
      this.#pace.answered();
    }
  }

  #report(settings: SendingSettings, delivery: DueDelivery, outcome: Outcome): Promise<void> {
    const { isDelivered, status, delayMs } = judge(delivery, outcome, settings);
    const turns = isDelivered === this.#isFailing;
    this.#isFailing = !isDelivered;
    this.#pace.record(isDelivered);
    const { httpCode, error, response, durationMs, atMs } = outcome;
    return this.#options.report({
      tenantId: this.key.tenantId,
      destinationId: this.key.destinationId,
      deliveryId: delivery.id,
      madeAt: delivery.madeAt,
      try: delivery.tries + 1,
      httpCode,
      error,
      response,
      durationMs,
      atMs,
      turns,
      attempt: isDelivered ? 'delivered' : 'failed',
      status,
      delayMs,
    });
  }

  /** Retries after an outage, so that no sender waits seconds for the lease to expire. A stopping process tries once. */
  async #giveBack(): Promise<void> {
    const { deps, owner } = this.#options;
    const ordered = this.#pace.isOrdered;
    for (let waitMs = releaseRetryMs; ; waitMs = Math.min(outageRetryMs, waitMs * 2)) {
      try {
        return await release(deps, { ...this.progress, owner, ordered, notBeforeMs: this.#notBeforeMs });
      } catch (error) {
        warnOfRelease(deps.log, error, this.key);
        if (this.#stopping.signal.aborted || !isPassing(error)) return;
      }
      await pause(waitMs, this.#stopping.signal);
    }
  }

  #invalidateCursor(): void {
    this.#cursor.invalidate();
    this.#hasChanged = true;
  }

  get #isInterrupted(): boolean {
    return this.#stopping.signal.aborted || this.#hasChanged || !this.#options.isLeased();
  }
}
