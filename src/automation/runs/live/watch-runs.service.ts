import { isTerminal } from '#src/automation/runs/run-status.rules.ts';
import { compact, maxWaiting, type OpenLive } from '#src/infra/live/live-stream.ts';
import { createSharedReader, readUntilAnswered } from '#src/infra/live/shared-reader.ts';
import type { LiveRunDeps } from './live-runs.service.ts';
import { isNewer, type RunChange } from './run-feed.service.ts';
import { newestRun, pageSize, readLive, readOthers, trackedRuns, type VersionedRow } from './watch-runs.reads.ts';

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
    const scope = findScope(deps, tenantId, workflowId);
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

function findScope(deps: LiveRunDeps, tenantId: string, workflowId: number | null): Scope {
  const { scopes } = deps.liveRuns;
  const key = `${tenantId}/${workflowId ?? ''}`;
  let scope = scopes.get(key);
  if (!scope) scopes.set(key, (scope = new WatchedRuns(deps, tenantId, workflowId, () => scopes.delete(key))));
  return scope;
}

class WatchedRuns implements Scope {
  readonly #deps: LiveRunDeps;
  readonly #tenantId: string;
  readonly #workflowId: number | null;
  readonly #onEmpty: () => void;
  readonly #listeners = new Set<(change: RunChange) => void>();
  /**
   * Least recently changed first; the oldest are dropped when there are too many. Not announced: read, but not yet reported.
   */
  readonly #seen = new Map<number, Pick<RunChange, 'version' | 'updatedAt'> & { live: boolean; announced: boolean }>();
  /** Runs up to this id existed before anyone watched; undefined before the first read. */
  #before = none;
  #newest = 0;
  #unsubscribe: (() => void) | undefined;
  readonly present = shareReads(() => this.#readPresent());
  readonly #catchUp = shareReads(() => this.#readMissed());

  constructor(deps: LiveRunDeps, tenantId: string, workflowId: number | null, onEmpty: () => void) {
    this.#deps = deps;
    this.#tenantId = tenantId;
    this.#workflowId = workflowId;
    this.#onEmpty = onEmpty;
  }

  join(listener: (change: RunChange) => void): () => void {
    const scope = { tenantId: this.#tenantId, workflowId: this.#workflowId };
    this.#listeners.add(listener);
    this.#unsubscribe ??= this.#deps.liveRuns.feed.subscribe(scope, {
      onChange: (change) => this.#receive(change),
      onResync: () => this.#resync(),
    });
    // Without a first read there would be nothing to compare with after a lost connection.
    if (this.#before === none && this.#workflowId === null) this.#resync();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#unsubscribe?.();
      this.#onEmpty();
    };
  }

  #resync(): void {
    void readUntilAnswered(
      this.#catchUp,
      () => this.#listeners.size === 0,
      (error) => this.#deps.log.warn({ err: error }, 'the watched runs could not be read'),
    );
  }

  // A read may have been ahead of a notice, which is still new to the listeners.
  #receive(change: RunChange): void {
    const known = this.#seen.get(change.runId);
    if (!known?.announced || isNewer(change, known)) this.#announce(change);
  }

  #announce(change: RunChange): void {
    this.#track(change, true);
    this.#newest = Math.max(this.#newest, change.runId);
    for (const listener of this.#listeners) listener(change);
  }

  #track({ runId, version, updatedAt, status }: RunChange, announced: boolean): void {
    this.#seen.delete(runId);
    if (this.#seen.size >= trackedRuns) this.#seen.delete(this.#seen.keys().next().value as number);
    this.#seen.set(runId, { version, updatedAt, live: !isTerminal(status), announced });
  }

  async #readPresent(): Promise<RunChange[]> {
    if (this.#before === none) this.#before = await this.#readNewest();
    const changes = (await this.#readLive()).map((row) => this.#changeOfRow(row));
    for (const change of changes)
      if (!this.#seen.has(change.runId) && change.runId <= this.#before) this.#track(change, false);
    return changes.slice(0, presentRuns).toReversed();
  }

  /** Reports what was missed: active runs that have ended, and new runs. */
  async #readMissed(): Promise<void> {
    if (this.#before === none) await this.present();
    else {
      // After a failover that lost the last commits, ids are lower than those that were seen.
      const last = await this.#readNewest();
      this.#before = Math.min(this.#before, last);
      this.#newest = Math.min(this.#newest, last);
    }
    // Runs are not committed in the order of their ids.
    const after = Math.max(this.#before, this.#newest - pageSize);
    const live = [...this.#seen].filter(([, run]) => run.live).map(([id]) => id);
    const [now, others] = await Promise.all([
      this.#readLive(),
      readOthers(this.#deps.database, this.#tenantId, this.#workflowId, after, live),
    ]);
    // A state that was read must not overtake earlier changes.
    await this.#deps.liveRuns.feed.settled();
    const rows = new Map([...now, ...others].map((row) => [row.id, row]));
    for (const row of [...rows.values()].toSorted((a, b) => a.id - b.id)) {
      const change = this.#changeOfRow(row);
      if (isNewer(change, this.#seen.get(row.id))) this.#announce(change);
    }
  }

  #readNewest(): Promise<number> {
    return newestRun(this.#deps.database, this.#tenantId, this.#workflowId);
  }

  #readLive(): Promise<VersionedRow[]> {
    return readLive(this.#deps.database, this.#tenantId, this.#workflowId);
  }

  #changeOfRow(row: VersionedRow): RunChange {
    return this.#deps.liveRuns.feed.changeOfRow(this.#tenantId, row);
  }
}

/** Callers in the same turn of the event loop share one read. */
function shareReads<Value>(read: () => Promise<Value>): () => Promise<Value> {
  const reader = createSharedReader<null, Value>({ name: () => '', maxBatch: 1, read: async () => [await read()] });
  return () => reader(null);
}
