import type { Deps } from '#src/infra/deps.ts';
import { createRepeatedWarning } from '#src/infra/logs/repeated-warning.ts';
import { isOutage, outageRetryMs } from '#src/infra/postgres/outages.ts';
import { pause } from '#src/infra/timing/timers.ts';
import { createWakeUp, type WakeUp } from '#src/infra/timing/wake-up.ts';
import { type Pass, PassError, recordFailure, relayBatch } from '#src/journal/outbox/outbox-reading.service.ts';
import { openCursor } from '#src/journal/outbox/outbox-upkeep.store.ts';
import { type OutboxConsumer, outboxChannel } from '#src/journal/outbox/outbox.ts';

/** A notification may be lost, or another worker may have died: the outbox is polled at least this often. */
const pollMs = 1_000;
/** The pause after a batch that was not full: a steady trickle of events then costs 50 commits a second, not one each. */
const usualGatherMs = 20;
/** The first wait for an older transaction that holds events back; it doubles up to `pollMs`. */
const firstHeldMs = 5;

/**
 * Delivers events from the outbox to its consumers, each in a loop of its own, which a commit of events wakes. Every worker runs
 * a relay. Only one at a time serves a consumer, and another takes over when it dies.
 */
export async function startOutboxRelay(
  deps: Deps,
  consumers: readonly OutboxConsumer[],
): Promise<{ stop(): Promise<void> }> {
  const stopping = new AbortController();
  const loops: Promise<void>[] = [];
  const unsubscribe: (() => void)[] = [];
  for (const consumer of consumers) {
    await openCursor(deps.database, consumer.name);
    const wakeUp = createWakeUp();
    stopping.signal.addEventListener('abort', wakeUp.signal);
    if (consumer.gatherMs === undefined)
      unsubscribe.push(
        deps.live.subscribe(outboxChannel, 'relay', { onEntry: wakeUp.signal, onResync: wakeUp.signal }),
      );
    loops.push(relay(deps, consumer, wakeUp, stopping.signal));
  }
  return {
    async stop() {
      for (const end of unsubscribe) end();
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function relay(deps: Deps, consumer: OutboxConsumer, wakeUp: WakeUp, signal: AbortSignal): Promise<void> {
  let held = firstHeldMs;
  let failures = 0;
  while (!signal.aborted) {
    const pass = await relayBatch(deps.database, consumer).catch((error: unknown) => error as Error);
    if (pass instanceof Error) {
      failures = (await noteFailure(deps, consumer, pass)) ? 0 : failures + 1;
      if (failures > 0) await pause(Math.min(outageRetryMs, 100 * 2 ** failures), signal);
      continue;
    }
    failures = 0;
    held = pass.outcome === 'idle' && pass.held ? Math.min(pollMs, held * 2) : firstHeldMs;
    await waitForMore(pass, consumer.gatherMs, held, wakeUp, signal);
  }
}

const warnOfRead = createRepeatedWarning('The outbox could not be read; retrying.');

/** Returns whether the failure was recorded. If not, the database is unreachable, and no event caused the failure. */
async function noteFailure(deps: Deps, consumer: OutboxConsumer, error: Error): Promise<boolean> {
  const { log } = deps;
  const cause: unknown = error instanceof PassError ? error.cause : error;
  const details = { err: cause, consumer: consumer.name };
  if (!(error instanceof PassError) || isOutage(error.cause)) {
    warnOfRead(log, cause, { consumer: consumer.name });
    return false;
  }
  const { events, cursor } = error;
  const which = {
    ...details,
    events: events.length,
    eventId: events[0]?.eventId,
    topic: events[0]?.topic,
    tenantId: events[0]?.tenantId,
  };
  try {
    const outcome = await recordFailure(deps, consumer, error);
    if (outcome === 'put_aside')
      log.error(which, 'An event could not be handled and was put aside; see outboxFailures.');
    else if (outcome === 'refused')
      log.error(which, 'An event could not be handled; its consumer keeps it for a replay.');
    else log.warn({ ...which, attempt: cursor.failures + 1 }, 'Events could not be handled; retrying them one by one.');
    return true;
  } catch {
    log.warn(which, 'Events could not be handled, and the failure could not be recorded; retrying.');
    return false;
  }
}

async function waitForMore(
  pass: Pass,
  gatherMs: number | undefined,
  heldMs: number,
  wakeUp: WakeUp,
  signal: AbortSignal,
): Promise<void> {
  switch (pass.outcome) {
    case 'handled':
      return pass.behind ? undefined : pause(gatherMs ?? usualGatherMs, signal);
    case 'idle':
      return gatherMs === undefined ? wakeUp.wait(pass.held ? heldMs : pollMs) : pause(gatherMs, signal);
    case 'locked':
      // The events wake only the worker that serves the consumer; this one polls.
      return pause(pollMs, signal);
    case 'backing_off':
      return pause(Math.min(pass.ms, pollMs), signal);
  }
}
