import { setTimeout as delay } from 'node:timers/promises';
import { deadLettersChannel } from '#src/automation/dead-letters/watch-dead-letters.service.ts';
import { runsChannel } from '#src/automation/runs/live/run-feed.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import { AppError, NotFoundError } from '#src/infra/errors.ts';
import type { OpenLive } from '#src/infra/live/live-stream.ts';
import { readUntilAnswered } from '#src/infra/live/shared-reader.ts';
import { findFiring, findWatchedTrigger, type TriggerSample, type WatchedTrigger } from './trigger-samples.reads.ts';

/** How long a listener waits at most. */
export const maxWaitMs = 3_600_000;
/** A busy workflow is looked at this often at most. */
const pauseMs = 100;
/** A run with a lower id may be committed after one with a higher id, but not so much later. */
const overlapMs = 60_000;

/** Listeners of a tenant in one process. Each reads the table at every new run of its workflow. */
export const maxListeners = 100;

export interface TriggerWatchDeps extends Pick<Deps, 'database' | 'live' | 'log'> {
  /** How many listeners each tenant has in this process. */
  triggerListeners: Map<string, number>;
}

/**
 * The next firing of the trigger, after which the stream ends. It ends without one once the trigger is deleted, or after `waitMs`. The firing
 * is read where it was stored: it starts its own run, and nothing else. Throws NotFoundError for a trigger that the tenant does not have, and
 * TOO_MANY_ATTEMPTS where it has too many listeners.
 */
export async function openTriggerSample(
  deps: TriggerWatchDeps,
  tenantId: string,
  triggerId: bigint,
  waitMs = maxWaitMs,
): Promise<OpenLive<TriggerSample>> {
  const trigger = await findWatchedTrigger(deps.database, tenantId, triggerId);
  if (!trigger) throw new NotFoundError();
  if ((deps.triggerListeners.get(tenantId) ?? 0) >= maxListeners)
    throw new AppError('TOO_MANY_ATTEMPTS', `At most ${maxListeners} listeners may wait for firings at a time.`);
  return watchTrigger(deps, trigger, waitMs);
}

const watchTrigger =
  (
    { database, live, log, triggerListeners }: TriggerWatchDeps,
    trigger: WatchedTrigger,
    waitMs: number,
  ): OpenLive<TriggerSample> =>
  (sink) => {
    const { tenantId, workflowId } = trigger;
    let from = trigger;
    /** The newest run at an earlier look, which the next looks begin after once nothing older can appear. */
    let next: { newestRun: number; at: number } | undefined;
    let closed = false;
    let reading = false;
    let stale = false;

    function count(change: 1 | -1): void {
      const listeners = (triggerListeners.get(tenantId) ?? 0) + change;
      if (listeners > 0) triggerListeners.set(tenantId, listeners);
      else triggerListeners.delete(tenantId);
    }

    function close(): void {
      if (closed) return;
      closed = true;
      count(-1);
      clearTimeout(timer);
      detachRuns();
      detachLetters();
    }

    function advance(newestRun: number): void {
      const now = performance.now();
      if (next && now - next.at > overlapMs) {
        from = { ...from, newestRun: next.newestRun };
        next = undefined;
      }
      next ??= { newestRun, at: now };
    }

    async function look(): Promise<void> {
      stale = true;
      if (reading) return;
      reading = true;
      while (stale && !closed) {
        stale = false;
        const found = await readUntilAnswered(
          () => findFiring(database, from),
          () => closed,
          (error) => log.warn({ err: error }, 'The firings of a watched trigger could not be read; retrying.'),
        );
        if (closed || !found) break;
        if (found.sample) sink.event(found.sample);
        if (found.sample || found.isDeleted) {
          close();
          sink.end();
        } else {
          advance(found.newestRun);
          await delay(pauseMs, undefined, { ref: false });
        }
      }
      reading = false;
    }

    count(1);
    const again = (): void => void look();
    const timer = setTimeout(() => {
      close();
      sink.end();
    }, waitMs);
    timer.unref();
    const detachRuns = live.subscribe(runsChannel, `${tenantId}/workflow/${workflowId}`, {
      // Version 1 is a new run. A resync, which also comes every few seconds, finds a trigger that was deleted.
      onEntry: ([, , , , version]) => void (version === 1 && again()),
      onResync: again,
    });
    const detachLetters = live.subscribe(deadLettersChannel, tenantId, { onEntry: again, onResync: () => undefined });
    again();
    return { close };
  };
