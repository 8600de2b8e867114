import type { Deps } from '#src/platform/deps.ts';
import { isoInstants } from '#src/platform/instants.ts';
import { compact, maxWaiting, type OpenLive } from '#src/platform/live-stream.ts';
import type { Pubsub } from '#src/platform/pubsub.ts';
import { createSharedReader, readUntilAnswered, type SharedReader } from '#src/platform/shared-reader.ts';
import { type RunChange, runFeed, type VersionedRow } from './run-feed.ts';
import { isTerminal } from './run-status.rules.ts';
import { runColumns } from './runs.reads.ts';

/** Most live runs a subscription begins with, the newest. */
export const presentRuns = 100;
const trackedRuns = 20_000;
const pageSize = 1_000;
const none = Number.MAX_SAFE_INTEGER;

/** The runs of a workflow or a whole tenant, followed once in this process for all who watch them. */
interface Scope {
  join(listener: (change: RunChange) => void): () => void;
  /** The newest live runs, oldest of them first, as they are after this was asked. */
  present: () => Promise<RunChange[]>;
}

const registries = new WeakMap<Pubsub, Map<string, Scope>>();

/**
 * Changes of a workflow's runs, beginning with those that are live; or, without a workflow, of all runs of the tenant from now
 * on. It ends only with its reader. After a lost connection the runs that were live and those that are new are read again.
 */
export const watchRuns =
  (deps: Deps, tenantId: string, workflowId: number | null): OpenLive<RunChange> =>
  (sink) => {
    const scope = scopeOf(deps, tenantId, workflowId);
    let early: RunChange[] | undefined = workflowId === null ? undefined : [];
    let closed = false;
    const leave = scope.join((change) => {
      if (early && early.length >= maxWaiting) compact(early);
      if (early) early.push(change);
      else sink.event(change);
    });

    async function begin(): Promise<void> {
      const present = await readUntilAnswered(
        scope.present,
        () => closed,
        (error) => deps.log.warn({ err: error }, 'the present runs could not be read'),
      );
      if (closed) return;
      const versions = new Map(present?.map((change) => [change.runId, change.version]));
      for (const change of present ?? []) sink.event(change);
      for (const change of early ?? []) if (change.version > (versions.get(change.runId) ?? 0)) sink.event(change);
      early = undefined;
    }

    if (early) void begin();
    return {
      close() {
        closed = true;
        leave();
      },
    };
  };

function scopeOf(deps: Deps, tenantId: string, workflowId: number | null): Scope {
  let scopes = registries.get(deps.live);
  if (!scopes) registries.set(deps.live, (scopes = new Map()));
  const key = `${tenantId}/${workflowId ?? ''}`;
  let scope = scopes.get(key);
  const registry = scopes;
  if (!scope) registry.set(key, (scope = createScope(deps, tenantId, workflowId, () => registry.delete(key))));
  return scope;
}

function createScope(deps: Deps, tenantId: string, workflowId: number | null, onEmpty: () => void): Scope {
  const feed = runFeed(deps);
  const listeners = new Set<(change: RunChange) => void>();
  /** Least recently changed first; the oldest are forgotten when there are too many. */
  const seen = new Map<number, { version: number; live: boolean }>();
  /** Runs up to here were there before anyone watched, or have been announced. */
  let newest = none;

  function track({ runId, version, status }: RunChange): void {
    seen.delete(runId);
    if (seen.size >= trackedRuns) seen.delete(seen.keys().next().value as number);
    seen.set(runId, { version, live: !isTerminal(status) });
  }

  function announce(change: RunChange): void {
    if ((seen.get(change.runId)?.version ?? 0) >= change.version) return;
    track(change);
    if (newest !== none) newest = Math.max(newest, change.runId);
    for (const listener of listeners) listener(change);
  }

  async function readPresent(): Promise<RunChange[]> {
    const { database } = deps;
    const after = newest;
    const first = after === none;
    const begun = first ? await newestRun(database, tenantId, workflowId) : 0;
    const known = first ? [] : [...seen].filter(([, { live }]) => live).map(([id]) => id);
    const [live, others] = await Promise.all([
      readLive(database, tenantId, workflowId),
      first ? [] : readOthers(database, tenantId, workflowId, after, known),
    ]);
    if (first && newest === none) newest = begun;
    const changes = new Map([...live, ...others].map((row) => [row.id, feed.changeOfRow(tenantId, row)]));
    for (const change of [...changes.values()].toSorted((a, b) => a.runId - b.runId)) {
      // What was there before anyone watched is no change.
      if (seen.has(change.runId) || change.runId > (first ? begun : after)) announce(change);
      else track(change);
    }
    return live
      .slice(0, presentRuns)
      .flatMap(({ id }) => changes.get(id) ?? [])
      .toReversed();
  }

  const reader: SharedReader<null, RunChange[]> = createSharedReader({
    name: () => '',
    maxBatch: 1,
    read: async () => [await readPresent()],
  });
  const present = (): Promise<RunChange[]> => reader(null);

  let detach: (() => void) | undefined;
  const resync = (): void => {
    void readUntilAnswered(
      present,
      () => listeners.size === 0,
      (error) => deps.log.warn({ err: error }, 'the watched runs could not be read'),
    );
  };
  return {
    join(listener) {
      listeners.add(listener);
      detach ??= feed.subscribe({ tenantId, workflowId }, { onChange: announce, onResync: resync });
      // Without a first reading there would be nothing to compare with after a lost connection.
      if (newest === none && workflowId === null) resync();
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

type Reader = Deps['database'];

const ofWorkflow = (workflowId: number | null): string => (workflowId === null ? '' : 'AND workflow_id = $2');
const paged = (ids: string): string => `
  SELECT r.version, ${runColumns} FROM (${ids}) AS page JOIN runs r ON r.tenant_id = $1 AND r.id = page.id
  JOIN workflows w ON w.tenant_id = r.tenant_id AND w.id = r.workflow_id`;

async function newestRun(database: Reader, tenantId: string, workflowId: number | null): Promise<number> {
  const rows = await database.tenantQuery<{ id: number }>(tenantId, {
    text: `SELECT id FROM runs WHERE tenant_id = $1 AND $2::bigint IS NOT DISTINCT FROM $2 ${ofWorkflow(workflowId)} ORDER BY id DESC LIMIT 1`,
    values: [tenantId, workflowId],
  });
  return rows[0]?.id ?? 0;
}

const readLive = (database: Reader, tenantId: string, workflowId: number | null): Promise<VersionedRow[]> =>
  database.tenantQuery<VersionedRow>(tenantId, {
    text: `${paged(`SELECT id FROM runs WHERE tenant_id = $1 AND $2::bigint IS NOT DISTINCT FROM $2 ${ofWorkflow(workflowId)}
      AND status IN ('queued', 'running', 'waiting') ORDER BY id DESC LIMIT ${pageSize}`)} ORDER BY r.id DESC`,
    values: [tenantId, workflowId],
    types: isoInstants,
  });

/** Runs made after `after`, and the known ones as they are now. */
async function readOthers(
  database: Reader,
  tenantId: string,
  workflowId: number | null,
  after: number,
  known: number[],
): Promise<VersionedRow[]> {
  const found: VersionedRow[] = [];
  for (let from = 0; from < known.length; from += pageSize) {
    const rows = await database.tenantQuery<VersionedRow>(tenantId, {
      text: paged('SELECT unnest($2::bigint[]) AS id'),
      values: [tenantId, known.slice(from, from + pageSize)],
      types: isoInstants,
    });
    found.push(...rows);
  }
  for (let last = after; ;) {
    const rows = await database.tenantQuery<VersionedRow>(tenantId, {
      text: `${paged(`SELECT id FROM runs WHERE tenant_id = $1 AND $2::bigint IS NOT DISTINCT FROM $2 ${ofWorkflow(workflowId)} AND id > $3
        ORDER BY id LIMIT ${pageSize}`)} ORDER BY r.id`,
      values: [tenantId, workflowId, last],
      types: isoInstants,
    });
    found.push(...rows);
    last = rows.at(-1)?.id ?? last;
    if (rows.length < pageSize || found.length >= trackedRuns) return found;
  }
}
