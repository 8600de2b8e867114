import type { SendingSettings } from '#src/commerce/webhooks/sending-settings.service.ts';
import { isGone, judge } from '#src/commerce/webhooks/sending.rules.ts';
import {
  type Batch,
  disableGone,
  holdAll,
  readBatch,
  release,
  type Reported,
} from '#src/commerce/webhooks/sending.service.ts';
import type { DueDelivery, QueueKey } from '#src/commerce/webhooks/sending.store.ts';
import type { Deps } from '#src/infra/deps.ts';
import { pause } from '#src/infra/pause.ts';
import { createWakeUp } from '#src/infra/wake-up.ts';
import { attempt } from './attempt.ts';
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
  /** There is more to send; `changed`: the settings have changed. */
  wake(changed: boolean): void;
  /** Begins no further attempt. */
  stop(): void;
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
/** An attempt that takes longer gives its slot to another destination. */
const promptMs = 1_000;
/** Read at once, in multiples of what may be under way. */
const readAhead = 4;
const leaseCheckMs = 100;

export function openDestinationQueue(key: QueueKey, options: QueueOptions): DestinationQueue {
  const { deps, owner } = options;
  const stopping = new AbortController();
  const wakeUp = createWakeUp();
  /** Deliveries that were begun and whose result is not recorded yet. */
  const inHand = new Map<number, Promise<void>>();
  /** How many of them are not answered yet. */
  let underWay = 0;
  /** The next batch, read while this one is sent. */
  let ahead: Promise<Batch | undefined> | undefined;
  /** The last delivery that was read; undefined: the next read begins with the oldest. */
  let after: DueDelivery | undefined;
  let freed = (): void => undefined;
  let failures = 0;
  let allowed = firstAtOnce;
  /** Attempts under way that have given up their slots. */
  let late = 0;
  let hasChanged = false;
  /** Whether it answered 410, and sends nothing until that is written. */
  let isGoneForGood = false;
  let ordered = false;
  let notBeforeMs = 0;
  let nextAt = 0;
  /** Whether the destination fails, as it was last written. */
  let fails = false;

  async function send(settings: SendingSettings, delivery: DueDelivery, slots: Slots): Promise<void> {
    let isLate = false;
    underWay += 1;
    const prompt = setTimeout(() => {
      if (slots !== options.slots.healthy) return;
      isLate = true;
      late += 1;
      slots.give();
    }, promptMs);
    try {
      const outcome = await attempt(deps, settings, delivery).finally(() => {
        clearTimeout(prompt);
        underWay -= 1;
        if (isLate) late -= 1;
        freed();
      });
      if (isGone(outcome.httpCode)) isGoneForGood = hasChanged = true;
      const verdict = judge(delivery, outcome, settings);
      const turns = verdict.isDelivered === fails;
      fails = !verdict.isDelivered;
      failures = verdict.isDelivered ? 0 : failures + 1;
      if (verdict.isDelivered) allowed += 1;
      else if (failures >= failuresBeforeCare) allowed = careful.concurrency;
      const { httpCode, error, response, durationMs, atMs } = outcome;
      await options.report({
        ...key,
        deliveryId: delivery.id,
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
    } finally {
      inHand.delete(delivery.id);
      if (!isLate) slots.give();
    }
  }

  /** Waits until one more attempt may begin, by the destination's limits and this process's. */
  async function admitted({ concurrency, ratePerSecond }: SendingSettings): Promise<Slots> {
    const most = () => (ordered ? 1 : Math.min(concurrency, allowed));
    while (underWay >= most())
      await new Promise<void>((resolve) => {
        freed = resolve;
      });
    const isCareful = failures >= failuresBeforeCare;
    const gapMs = Math.max(ratePerSecond === null ? 0 : 1_000 / ratePerSecond, isCareful ? careful.pauseMs : 0);
    const now = performance.now();
    if (gapMs > 0 && nextAt > now) await pause(nextAt - now, stopping.signal);
    nextAt = Math.max(now, nextAt) + gapMs;
    const slots = options.slots[isCareful ? 'failing' : late > 0 ? 'slow' : 'healthy'];
    await slots.take();
    return slots;
  }

  const isOver = (): boolean => stopping.signal.aborted || hasChanged || !options.isLeased();
  const read = (limit: number, unsent: readonly DueDelivery[] = []): Promise<Batch | undefined> =>
    readBatch(
      deps,
      { ...key, owner, ordered },
      { except: [...inHand.keys(), ...unsent.map(({ id }) => id)], after, limit },
    );

  /** Sends a batch. Before it is through with a full one, it has the next one read. */
  async function sendAll(
    settings: SendingSettings,
    due: readonly DueDelivery[],
    more: { isLikely: boolean; limit: number },
  ): Promise<void> {
    for (const [place, delivery] of due.entries()) {
      const slots = await admitted(settings);
      if (isOver()) {
        slots.give();
        return;
      }
      if (more.isLikely && place === Math.floor(due.length / 2)) {
        ahead = read(more.limit, due.slice(place));
        ahead.catch(() => undefined);
      }
      inHand.set(delivery.id, send(settings, delivery, slots));
    }
  }

  /** The batch that was read ahead, unless something has changed since; else what is read now. */
  async function next(limit: number): Promise<Batch | undefined> {
    if (isGoneForGood) await Promise.all(inHand.values());
    isGoneForGood = false;
    const begun = ahead;
    ahead = undefined;
    const batch = await begun;
    if (batch && !isOver()) return batch;
    after = undefined;
    hasChanged = false;
    return read(limit);
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
      const { settings } = batch;
      if (settings.isDisabled) return holdAll(deps, key);
      if (settings.obstacle !== null) {
        notBeforeMs = options.secretCheckMs;
        return undefined;
      }
      const asked = limit;
      limit = readAhead * settings.concurrency;
      if (inHand.size === 0) ({ fails } = settings);
      // What was read in the former order is read again.
      if (settings.ordered !== ordered) {
        ({ ordered } = settings);
        continue;
      }
      const fresh = batch.due.filter(({ id }) => !inHand.has(id));
      if (fresh.length > 0) {
        after = ordered ? undefined : fresh.at(-1);
        await sendAll(settings, fresh, { isLikely: !ordered && fresh.length === asked, limit });
        if (ordered) await Promise.all(inHand.values());
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
      notBeforeMs = lingerMs;
      deps.log.warn({ err: error, ...key }, 'A webhook queue could not be read; retrying.');
    }
    await Promise.all(inHand.values());
    await ahead?.catch(() => undefined);
    // Where this fails, the lease expires and another sender takes over.
    await release(deps, { ...key, owner, ordered, notBeforeMs }).catch((error: unknown) =>
      deps.log.warn({ err: error, ...key }, 'A webhook queue could not be given back; its lease ends by itself.'),
    );
  }

  return {
    wake(changed) {
      hasChanged ||= changed;
      wakeUp.signal();
    },
    stop() {
      stopping.abort();
      wakeUp.signal();
    },
    ended: live(),
  };
}
