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

/** The dependencies of live views of runs. */
export interface LiveRunDeps extends Pick<Deps, 'database' | 'live' | 'log'> {
  liveRuns: LiveRuns;
}

export const openLiveRuns = (deps: Deps): LiveRuns => ({
  feed: createRunFeed(deps),
  readLog: createLogReader(deps),
  scopes: new Map(),
});
