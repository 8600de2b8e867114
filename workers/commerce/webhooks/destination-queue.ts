import type { Deps } from '#src/infra/deps.ts';
import { createRepeatedWarning } from '#src/infra/logs/repeated-warning.ts';
import { pause } from '#src/infra/pause.ts';
import { isPassing, outageRetryMs } from '#src/infra/postgres/outages.ts';
import { createWakeUp } from '#src/infra/wake-up.ts';
import { attempt, type Outcome } from './attempt.ts';
import { AttemptsInHand, type Begun } from './attempts-in-hand.ts';
import { isGone, judge } from './sending-rules.ts';
import type { SendingSettings } from './sending-settings.ts';
import type { DueDelivery, Progress, QueueKey, Reading } from './sending-statements.ts';
import { type Batch, disableGone, holdAll, readBatch, release, type Reported } from './sending.ts';
import type { Slots } from './slots.ts';

export interface QueueOptions {
  deps: Deps;
  owner: string;
  /** Slots of this process for destinations that answer at once, late or not at all, so that slow ones take none from fast ones. */
  slots: Record<'healthy' | 'slow' | 'failing', Slots>;
  /** Writes a result; resolves when it is durable or given up. */
  report: (result: Reported) => Promise<void>;
  /** Whether the lease still holds, by this process's clock. */
  isLeased: () => boolean;
  /** How long to wait before looking again for a secret that is missing. */
  secretCheckMs: number;
}

/** One destination's deliveries, sent by this process for as long as it has the queue. */
export interface DestinationQueue {
  key: QueueKey;
  /** There is more to send; `changed`: the settings have changed. */
  wake(changed: boolean): void;
  /** Its position is read again, since the database may have lost what it is based on. */
  reread(): void;
  /** Begins no further attempt. */
  stop(): void;
  /** Up to where its new deliveries are recorded, and on which server; undefined before any was read. */
  progress(): Progress;
  /** Whether it waits for answers alone, all of which are late. */
  isStuck(): boolean;
  /** Resolves when nothing is under way and the queue is given back. */
  ended: Promise<void>;
}

/** A queue is kept for this long after its last delivery, so that a steady trickle needs no claim for each. */
const lingerMs = 1_000;
/** After this many failures without a success, a destination gets few attempts at a time, with a pause between them. */
const failuresBeforeCare = 10;
const careful = { concurrency: 2, pauseMs: 100 };
/** The first attempts at a time; each success adds one. A destination that hangs must not take the connections of those that answer. */
const firstAtOnce = 4;
/** Read at once, in multiples of what may be under way; and of new deliveries behind some of which none was to be sent. */
const readAhead = 8;
const passedAtOnce = 1_000;
const leaseCheckMs = 100;
/** The first pause before a queue is given back once more. */
const releaseRetryMs = 200;

const warnOfRelease = createRepeatedWarning('A webhook queue could not be given back; its lease ends by itself.');

export function openDestinationQueue(key: QueueKey, options: QueueOptions): DestinationQueue {
  const { deps, owner } = options;
  const stopping = new AbortController();
  const wakeUp = createWakeUp();
  const inHand = new AttemptsInHand(options.slots.healthy);
  /** The last new delivery that was begun or passed over; undefined before the first read. */
  let begunTo: number | undefined;
  /** The server that `begunTo` was read from. */
  let server: string | undefined;
  /** Whether `begunTo` may be unknown to the server, so that it is read again. */
  let isPositionLost = false;
  /** The first new delivery whose result could not be recorded: it is read again. */
  let lost = Number.POSITIVE_INFINITY;
  /** The next batch, read while this one is sent. */
  let ahead: Promise<Batch | undefined> | undefined;
  let freed = (): void => undefined;
  let failures = 0;
  let allowed = firstAtOnce;
  let hasChanged = false;
  /** Whether it answered 410, and sends nothing until that is written. */
  let isGoneForGood = false;
  let ordered = false;
  let notBeforeMs = 0;
  let nextAt = 0;
  /** Whether the destination fails, as it was last written. */
  let fails = false;

  async function send(settings: SendingSettings, delivery: DueDelivery, begun: Begun): Promise<void> {
    try {
      let outcome: Outcome;
      try {
        outcome = await attempt(deps, settings, delivery);
      } finally {
        inHand.answered(begun);
        // Its batch is kept until the last of it has begun, and would take the bytes of all to the old heap.
        delivery.body = '';
        freed();
      }
      if (isGone(outcome.httpCode)) isGoneForGood = hasChanged = true;
      const verdict = judge(delivery, outcome, settings);
      const turns = verdict.isDelivered === fails;
      fails = !verdict.isDelivered;
      failures = verdict.isDelivered ? 0 : failures + 1;
      if (verdict.isDelivered) allowed += 1;
      else if (failures >= failuresBeforeCare) allowed = careful.concurrency;
      const { httpCode, error, response, durationMs, atMs } = outcome;
      await options.report({
        tenantId: key.tenantId,
        destinationId: key.destinationId,
        deliveryId: delivery.id,
        madeAt: delivery.madeAt,
        try: delivery.tries + 1,
        httpCode,
        error,
        response,
        durationMs,
        atMs,
        turns,
        attempt: verdict.isDelivered ? 'delivered' : 'failed',
        status: verdict.status,
        delayMs: verdict.delayMs,
      });
      if (isGone(httpCode)) await disableGone(deps, key, settings.orgId);
    } catch (error) {
      deps.log.error({ err: error, ...key, deliveryId: delivery.id }, 'A webhook was not sent, or its result is lost.');
      if (delivery.dueAt === null) lost = Math.min(lost, delivery.id);
      hasChanged = true;
    } finally {
      inHand.done(begun);
    }
  }

  const isFull = ({ concurrency }: SendingSettings): boolean =>
    inHand.underWay >= (ordered ? 1 : Math.min(concurrency, allowed));

  /** Takes a slot where one more attempt may begin at once: of several that are answered together, most need not wait for a promise. */
  function admittedNow(settings: SendingSettings): Slots | undefined {
    if (isFull(settings) || settings.ratePerSecond !== null || failures >= failuresBeforeCare) return undefined;
    const slots = options.slots[inHand.late > 0 ? 'slow' : 'healthy'];
    return slots.takeNow() ? slots : undefined;
  }

  /** Waits until one more attempt may begin, by the destination's limits and this process's. */
  async function admitted(settings: SendingSettings): Promise<Slots> {
    while (isFull(settings))
      await new Promise<void>((resolve) => {
        freed = resolve;
      });
    const { ratePerSecond } = settings;
    const isCareful = failures >= failuresBeforeCare;
    const gapMs = Math.max(ratePerSecond === null ? 0 : 1_000 / ratePerSecond, isCareful ? careful.pauseMs : 0);
    const now = performance.now();
    if (gapMs > 0 && nextAt > now) await pause(nextAt - now, stopping.signal);
    nextAt = Math.max(now, nextAt) + gapMs;
    const slots = options.slots[isCareful ? 'failing' : inHand.late > 0 ? 'slow' : 'healthy'];
    await slots.take();
    return slots;
  }

  const isOver = (): boolean => stopping.signal.aborted || hasChanged || !options.isLeased();
  const read = (limit: number, from: Pick<Reading, 'after' | 'newAfter'>): Promise<Batch | undefined> =>
    readBatch(deps, { ...key, owner, ordered }, { ...from, except: inHand.timedIds, limit });

  /** Sends a batch. Before it is through with one that is not all, it has the next one read. */
  async function sendAll(
    { settings, readTo, isAll, goodUntil }: Batch,
    due: readonly DueDelivery[],
    limit: number,
  ): Promise<void> {
    const middle = due[Math.floor(due.length / 2)];
    for (const delivery of due) {
      // Of each batch one is sent, however long it waits, so that a low rate does not end in reading alone.
      const isOutdated = delivery !== due[0] && performance.now() > goodUntil;
      const slots = isOutdated ? undefined : (admittedNow(settings) ?? (await admitted(settings)));
      if (!slots || isOver()) {
        slots?.give();
        // The rest is read again, and not passed over for what was read ahead behind it.
        hasChanged = true;
        return;
      }
      if (!ordered && !isAll && delivery === middle) {
        ahead = read(limit, { after: due.findLast(({ dueAt }) => dueAt !== null), newAfter: readTo ?? begunTo });
        ahead.catch(() => undefined);
      }
      const isNew = delivery.dueAt === null;
      if (isNew) begunTo = delivery.id;
      void send(settings, delivery, inHand.begin(delivery.id, isNew, slots));
    }
    begunTo = readTo ?? begunTo;
  }

  /** The batch that was read ahead, unless something has changed since; else what is read now. */
  async function next(limit: number): Promise<Batch | undefined> {
    const begun = ahead;
    ahead = undefined;
    const batch = await begun;
    if (batch && !isOver() && performance.now() <= batch.goodUntil) return batch;
    // What is under way must not be read again with what was lost.
    if (isGoneForGood || isPositionLost || Number.isFinite(lost)) await inHand.allDone();
    isGoneForGood = false;
    if (isPositionLost) begunTo = undefined;
    isPositionLost = false;
    if (begunTo !== undefined) begunTo = Math.min(begunTo, lost - 1);
    lost = Number.POSITIVE_INFINITY;
    hasChanged = false;
    return read(limit, { newAfter: begunTo });
  }

  function reread(): void {
    isPositionLost = hasChanged = true;
  }

  function progress(): Progress {
    const isKnown = begunTo !== undefined && !isPositionLost;
    return {
      ...key,
      server,
      sentTo: isKnown ? Math.min(begunTo as number, lost - 1, inHand.firstNewId - 1) : undefined,
    };
  }

  async function run(): Promise<void> {
    let limit = 10;
    while (!stopping.signal.aborted) {
      if (!options.isLeased()) {
        await pause(leaseCheckMs, stopping.signal);
        continue;
      }
      const batch = await next(limit);
      if (!batch) return undefined;
      const { settings, readTo } = batch;
      const isOtherServer = server !== undefined && server !== settings.server;
      ({ server } = settings);
      if (isOtherServer) {
        reread();
        continue;
      }
      begunTo ??= settings.sentTo;
      if (settings.isDisabled) return holdAll(deps, key);
      if (settings.obstacle !== null) {
        notBeforeMs = options.secretCheckMs;
        return undefined;
      }
      const isPassing = batch.due.length === 0 && readTo !== undefined;
      limit = isPassing ? passedAtOnce : settings.ordered ? 1 : readAhead * settings.concurrency;
      if (inHand.size === 0) ({ fails } = settings);
      // What was read in the former order is read again.
      if (settings.ordered !== ordered) {
        ({ ordered } = settings);
        continue;
      }
      if (isPassing) {
        begunTo = readTo;
        continue;
      }
      const due = batch.due.filter(({ id }) => !inHand.has(id));
      if (due.length > 0) {
        await sendAll(batch, due, limit);
        if (ordered) await inHand.allDone();
        // Whatever comes later wakes it, so that a trickle of events costs one read each.
        else if (batch.isAll) await wakeUp.wait(lingerMs);
      } else {
        const began = performance.now();
        await wakeUp.wait(lingerMs);
        if (inHand.size === 0 && performance.now() - began >= lingerMs) return undefined;
      }
    }
    return undefined;
  }

  async function live(): Promise<void> {
    try {
      await run();
    } catch (error) {
      if (!isPassing(error)) notBeforeMs = lingerMs;
      isPositionLost = true;
      deps.log.warn({ err: error, ...key }, 'A webhook queue could not be read; retrying.');
    }
    await inHand.allDone();
    await ahead?.catch(() => undefined);
    await giveBack();
  }

  /** After an outage it tries again, so that nobody waits for the lease to expire, which takes seconds. At its end the process tries once. */
  async function giveBack(): Promise<void> {
    for (let wait = releaseRetryMs; ; wait = Math.min(outageRetryMs, wait * 2)) {
      try {
        return await release(deps, { ...progress(), owner, ordered, notBeforeMs });
      } catch (error) {
        warnOfRelease(deps.log, error, key);
        if (stopping.signal.aborted || !isPassing(error)) return undefined;
      }
      await pause(wait, stopping.signal);
    }
  }

  return {
    key,
    progress,
    isStuck: () => inHand.late > 0 && inHand.late === inHand.underWay,
    wake(changed) {
      hasChanged ||= changed;
      wakeUp.signal();
    },
    reread() {
      reread();
      wakeUp.signal();
    },
    stop() {
      stopping.abort();
      wakeUp.signal();
    },
    ended: live(),
  };
}
