import { runConditions, type RunFilter } from '#src/automation/runs/run-filters.reads.ts';
import { findRuns, type RunRow } from '#src/automation/runs/runs.reads.ts';
import type { Deps } from '#src/infra/deps.ts';
import { listenToRows } from '#src/infra/live/lists/live-list-source.ts';
import { LiveList } from '#src/infra/live/lists/live-list.ts';
import { createRunFeed, type RunFeed, runsChannel } from './run-feed.service.ts';
import { createLogReader, type LogReader } from './watch-run-log.service.ts';
import type { Scope } from './watch-runs.service.ts';

/** The state that all live views of runs in a process share. */
export interface LiveRuns {
  feed: RunFeed;
  readLog: LogReader;
  /** The watched workflows and tenants, by `tenant/workflow`. */
  scopes: Map<string, Scope>;
  /** The followed lists, by tenant and filter. */
  list: LiveList<RunFilter, RunRow>;
}

/** The dependencies of live views of runs. */
export interface LiveRunDeps extends Pick<Deps, 'database' | 'live' | 'log'> {
  liveRuns: LiveRuns;
}

export const openLiveRuns = (deps: Deps): LiveRuns => ({
  feed: createRunFeed(deps),
  readLog: createLogReader(deps),
  scopes: new Map(),
  list: new LiveList(deps, {
    table: 'runs',
    conditions: runConditions,
    listen: listenToRows(deps.live, runsChannel),
    load: (tenantId, ids) => findRuns(deps.database, tenantId, ids),
  }),
});
