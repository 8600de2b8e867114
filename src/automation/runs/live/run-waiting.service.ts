import { isTerminal } from '#src/automation/runs/run-status.rules.ts';
import type { RunRow } from '#src/automation/runs/runs.reads.ts';
import type { LiveRunDeps } from './live-runs.service.ts';
import { watchRun } from './watch-run.service.ts';

/**
 * Waits at most `timeoutMs` until the run has ended, in whichever process and even if its notice was lost. Returns its
 * row; null when it has not ended by then or does not exist.
 */
export function waitForRun(
  deps: LiveRunDeps,
  tenantId: string,
  runId: number,
  timeoutMs: number,
): Promise<RunRow | null> {
  const { promise, resolve } = Promise.withResolvers<RunRow | null>();
  let last: Promise<RunRow> | undefined;
  const source = watchRun(
    deps,
    tenantId,
    runId,
  )({
    event(change) {
      if (isTerminal(change.status)) last = change.row();
      return true;
    },
    end: () => resolve(last?.catch(() => null) ?? null),
  });
  const timer = setTimeout(() => resolve(null), timeoutMs);
  return promise.finally(() => {
    clearTimeout(timer);
    source.close();
  });
}
