import { isTerminal } from '#src/automation/runs/run-status.rules.ts';
import type { OpenLive } from '#src/infra/live/live-stream.ts';
import { readUntilAnswered } from '#src/infra/live/shared-reader.ts';
import type { LiveRunDeps } from './live-runs.service.ts';
import { isNewer, type RunChange } from './run-feed.service.ts';
import { stepsChannel } from './watch-steps.service.ts';

/**
 * One run: its current state, then every change in order of version, until it ends with its terminal state. Each notice
 * holds the state at its version, so a version whose notice was lost is skipped, but never a later one; after a lost
 * connection the state is read again. `withSteps` repeats the state at each change of a step.
 */
export const watchRun =
  (deps: LiveRunDeps, tenantId: string, runId: number, { withSteps = false } = {}): OpenLive<RunChange> =>
  (sink) => {
    const { feed } = deps.liveRuns;
    let last: RunChange | undefined;
    let closed = false;
    let reading = false;
    let stale = false;
    // Notices wait until the current state has been read.
    let early: RunChange[] | undefined = [];

    function take(change: RunChange): void {
      if (closed || !isNewer(change, last)) return;
      last = change;
      sink.event(change);
      if (!isTerminal(change.status)) return;
      close();
      sink.end();
    }

    function close(): void {
      closed = true;
      early = undefined;
      detach();
      detachSteps?.();
    }

    async function read(): Promise<void> {
      stale = true;
      if (reading) return;
      reading = true;
      while (stale && !closed) {
        stale = false;
        const present = await readUntilAnswered(
          () => feed.read(tenantId, runId),
          () => closed,
          (error) => deps.log.warn({ err: error }, 'a watched run could not be read'),
        );
        if (closed) return;
        if (!present) {
          close();
          return sink.end();
        }
        // A state that was read again must not overtake earlier changes.
        if (!early) await feed.settled();
        take(present);
        const waiting = early ?? [];
        early = undefined;
        waiting.forEach(take);
      }
      reading = false;
    }

    const detach = feed.subscribe(
      { tenantId, runId },
      { onChange: (change) => (early ? early.push(change) : take(change)), onResync: () => void read() },
    );
    // A copy of the run's state, so that its steps are read again.
    const detachSteps = withSteps
      ? deps.live.subscribe(stepsChannel, `${tenantId}/${runId}`, {
          onEntry: () => void (last && !closed && sink.event({ ...last })),
          onResync: () => undefined,
        })
      : undefined;
    void read();
    return { close };
  };
