import { isTerminal } from '#src/automation/runs/run-status.rules.ts';
import { compact, maxWaiting, type OpenLive } from '#src/infra/live/live-stream.ts';
import { createSharedReader, readUntilAnswered } from '#src/infra/live/shared-reader.ts';
import type { LiveRunDeps } from './live-runs.service.ts';
import { isNewer, type RunChange } from './run-feed.service.ts';
import { newestRun, pageSize, readLive, readOthers, trackedRuns } from './watch-runs.reads.ts';

/** The most active runs that a subscription begins with; the newest. */
export const presentRuns = 100;
const none = Number.MAX_SAFE_INTEGER;

/** The runs of a workflow or of a whole tenant, followed once in this process for all readers. */
export interface Scope {
  join(listener: (change: RunChange) => void): () => void;
  /** The newest active runs, in ascending order, as they are after this call. */
  present: () => Promise<RunChange[]>;
}

/**
 * Changes of a workflow's runs, beginning with the active ones; without a workflow, of all runs of the tenant from now on. It
 * ends only when its reader leaves. After a lost connection, the runs that were active and new ones are read again.
 */
export const watchRuns =
  (deps: LiveRunDeps, tenantId: string, workflowId: number | null): OpenLive<RunChange> =>
  (sink) => {
    const scope = scopeOf(deps, tenantId, workflowId);
    let early: RunChange[] | undefined = workflowId === null ? undefined : [];
    /** The versions this reader began with; notices of older ones may still arrive. */
    const floor = new Map<number, number>();
    let closed = false;

    function pass(change: RunChange): void {
      if (change.version <= (floor.get(change.runId) ?? 0)) return;
      floor.delete(change.runId);
      sink.event(change);
    }

    const leave = scope.join((change) => {
      if (early && early.length >= maxWaiting) compact(early);
      if (early) early.push(change);
      else pass(change);
    });

    async function begin(): Promise<void> {
      const present = await readUntilAnswered(
        scope.present,
        () => closed,
        (error) => deps.log.warn({ err: error }, 'the present runs could not be read'),
      );
      if (closed) return;
      for (const change of present ?? []) {
        floor.set(change.runId, change.version);
        sink.event(change);
      }
      const waiting = early ?? [];
      early = undefined;
      waiting.forEach(pass);
    }

    if (early) void begin();
    return {
      close() {
        if (!closed) leave();
        closed = true;
      },
    };
  };

function scopeOf(deps: LiveRunDeps, tenantId: string, workflowId: number | null): Scope {
  const { scopes } = deps.liveRuns;
  const key = `${tenantId}/${workflowId ?? ''}`;
  let scope = scopes.get(key);
  if (!scope) scopes.set(key, (scope = createScope(deps, tenantId, workflowId, () => scopes.delete(key))));
  return scope;
}

function createScope(deps: LiveRunDeps, tenantId: string, workflowId: number | null, onEmpty: () => void): Scope {
  const { feed } = deps.liveRuns;
  const listeners = new Set<(change: RunChange) => void>();
  /**
   * Least recently changed first; the oldest are dropped when there are too many. Not announced: read, but not yet reported.
   */
  const seen = new Map<number, Pick<RunChange, 'version' | 'updatedAt'> & { live: boolean; announced: boolean }>();
  /** Runs up to this id existed before anyone watched; undefined before the first read. */
  let before = none;
  let newest = 0;

  function track({ runId, version, updatedAt, status }: RunChange, announced: boolean): void {
    seen.delete(runId);
    if (seen.size >= trackedRuns) seen.delete(seen.keys().next().value as number);
    seen.set(runId, { version, updatedAt, live: !isTerminal(status), announced });
  }

  function announce(change: RunChange): void {
    track(change, true);
    newest = Math.max(newest, change.runId);
    for (const listener of listeners) listener(change);
  }

  // A read may have been ahead of a notice, which is still new to the listeners.
  function hear(change: RunChange): void {
    const known = seen.get(change.runId);
    if (!known?.announced || isNewer(change, known)) announce(change);
  }

  async function readPresent(): Promise<RunChange[]> {
    if (before === none) before = await newestRun(deps.database, tenantId, workflowId);
    const rows = await readLive(deps.database, tenantId, workflowId);
    const changes = rows.map((row) => feed.changeOfRow(tenantId, row));
    for (const change of changes) if (!seen.has(change.runId) && change.runId <= before) track(change, false);
    return changes.slice(0, presentRuns).toReversed();
  }

  /** Reports what was missed: active runs that have ended, and new runs. */
  async function catchUp(): Promise<void> {
    if (before === none) await present();
    else {
      // After a failover that lost the last commits, ids are lower than those that were seen.
      const last = await newestRun(deps.database, tenantId, workflowId);
      before = Math.min(before, last);
      newest = Math.min(newest, last);
    }
    // Runs are not committed in the order of their ids.
    const after = Math.max(before, newest - pageSize);
    const live = [...seen].filter(([, run]) => run.live).map(([id]) => id);
    const [now, others] = await Promise.all([
      readLive(deps.database, tenantId, workflowId),
      readOthers(deps.database, tenantId, workflowId, after, live),
    ]);
    // A state that was read must not overtake earlier changes.
    await feed.settled();
    const rows = new Map([...now, ...others].map((row) => [row.id, row]));
    for (const row of [...rows.values()].toSorted((a, b) => a.id - b.id)) {
      const change = feed.changeOfRow(tenantId, row);
      if (isNewer(change, seen.get(row.id))) announce(change);
    }
  }

  const shared = <Value>(read: () => Promise<Value>): (() => Promise<Value>) => {
    const reader = createSharedReader<null, Value>({ name: () => '', maxBatch: 1, read: async () => [await read()] });
    return () => reader(null);
  };
  const present = shared(readPresent);
  const missed = shared(catchUp);

  let detach: (() => void) | undefined;
  const resync = (): void => {
    void readUntilAnswered(
      missed,
      () => listeners.size === 0,
      (error) => deps.log.warn({ err: error }, 'the watched runs could not be read'),
    );
  };
  return {
    join(listener) {
      listeners.add(listener);
      detach ??= feed.subscribe({ tenantId, workflowId }, { onChange: hear, onResync: resync });
      // Without a first read there would be nothing to compare with after a lost connection.
      if (before === none && workflowId === null) resync();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        detach?.();
        onEmpty();
      };
    },
    present,
  };
}
