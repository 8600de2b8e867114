import { Stamps } from '#src/automation/runs/fairness.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import { createRunFeed, type RunFeed } from './run-feed.service.ts';
import { createLogReader, type LogReader } from './watch-run-log.service.ts';
import type { Scope } from './watch-runs.service.ts';

/** The state that all live views of runs in a process share. */
export interface LiveRuns {
  feed: RunFeed;
  readLog: LogReader;
  /** The watched workflows and tenants, by `tenant/workflow`. */
  scopes: Map<string, Scope>;
}

/** The dependencies of use cases of runs. */
export interface RunDeps extends Deps {
  /** The order in which this process queues the runs of tenants. */
  fairness: Stamps;
  liveRuns: LiveRuns;
}

export const openRunDeps = (deps: Deps): RunDeps => ({
  ...deps,
  fairness: new Stamps(),
  liveRuns: { feed: createRunFeed(deps), readLog: createLogReader(deps), scopes: new Map() },
});
