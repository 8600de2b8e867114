import { channels, type RunNotice } from '#src/automation/runs/run-notices.service.ts';
import { isTerminal, type RunStatus } from '#src/automation/runs/run-status.rules.ts';
import { runColumns, type RunRow } from '#src/automation/runs/runs.reads.ts';
import type { Deps } from '#src/infra/deps.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import type { Superseding } from '#src/infra/live/live-stream.ts';
import type { Channel } from '#src/infra/live/pubsub-topic.ts';
import { createSharedReader, readUntilAnswered } from '#src/infra/live/shared-reader.ts';
import { isoInstants } from '#src/infra/postgres/statements/instants.ts';
import type { VersionedRow } from './watch-runs.reads.ts';

/** A run at one version. All listeners in the process share one object for each change. */
export interface RunChange extends Superseding {
  runId: number;
  workflowId: number;
  version: number;
  /** When it changed, in epoch milliseconds. */
  updatedAt: number;
  status: RunStatus;
  /** The whole row at this version; columns that a notice does not contain are read when first needed. */
  row: () => Promise<RunRow>;
}

/**
 * True when a change is newer than the known one. A version falls back when a failover loses the last commits of a run or reuses its
 * id for another run; a lower version is then newer if its time is later.
 */
export const isNewer = (
  change: Pick<RunChange, 'version' | 'updatedAt'>,
  known: Pick<RunChange, 'version' | 'updatedAt'> | undefined,
): boolean =>
  known === undefined ||
  change.version > known.version ||
  (change.version < known.version && change.updatedAt > known.updatedAt);

export interface RunListener {
  onChange: (change: RunChange) => void;
  onResync: () => void;
}

/** Changes of runs in this process, from every process. */
export interface RunFeed {
  /** Attaches immediately; see Pubsub for `onResync`. */
  subscribe(scope: RunScope, listener: RunListener): () => void;
  /** The current run; undefined when the tenant has no run with that id. */
  read(tenantId: string, runId: number): Promise<RunChange | undefined>;
  /** Resolves when all changes committed before have been received; see Pubsub. */
  settled(): Promise<void>;
  /** The change for a row with its `version`: the same object for the same version, so that readers share it. */
  changeOfRow(tenantId: string, row: VersionedRow): RunChange;
}

export type RunScope = { tenantId: string; runId: number } | { tenantId: string; workflowId: number | null };

const integer = (value: unknown): value is number => Number.isSafeInteger(value);
const instant = (value: unknown): boolean => value === null || integer(value);

// Tenant ids contain no slash, so keys of two tenants never collide.
export const runsChannel: Channel<RunNotice> = {
  name: channels.runs,
  parse(raw) {
    if (!Array.isArray(raw)) return undefined;
    const [tenantId, runId, workflowId, status, version, startedAt, completedAt, updatedAt] = raw as unknown[];
    const known = typeof tenantId === 'string' && integer(runId) && integer(workflowId) && typeof status === 'string';
    const placed = integer(version) && instant(startedAt) && instant(completedAt) && integer(updatedAt);
    return known && placed ? (raw as RunNotice) : undefined;
  },
  keys: ([tenantId, runId, workflowId]) => [tenantId, `${tenantId}/workflow/${workflowId}`, `${tenantId}/run/${runId}`],
};

const scopeKey = (scope: RunScope): string => {
  if ('runId' in scope) return `${scope.tenantId}/run/${scope.runId}`;
  return scope.workflowId === null ? scope.tenantId : `${scope.tenantId}/workflow/${scope.workflowId}`;
};

const readSql = `
  SELECT r.tenant_id AS "tenantId", r.version, ${runColumns}
  FROM unnest($1::text[], $2::bigint[]) AS wanted(tenant_id, id)
  JOIN runs r ON r.tenant_id = wanted.tenant_id AND r.id = wanted.id
  JOIN workflows w ON w.tenant_id = r.tenant_id AND w.id = r.workflow_id`;

const maxRemembered = 10_000;

/** Opens the feed of a process. */
export const createRunFeed = (deps: Deps): RunFeed => new ProcessRunFeed(deps);

class ProcessRunFeed implements RunFeed {
  readonly #deps: Pick<Deps, 'live' | 'database' | 'log'>;
  readonly #changes = new WeakMap<RunNotice, RunChange>();
  /** Rows of active runs, for the columns that do not change. */
  readonly #rows = new Map<string, RunRow>();
  /**
   * The last state read of each active run. Readers that attach one after the other share it: with an object each, a
   * thousand that reconnect at the same time would cause a thousand executions.
   */
  readonly #readings = new Map<string, RunChange & { workflowName: string }>();
  readonly #read = createSharedReader<RunKey, RunChange | undefined>({
    name: runName,
    maxBatch: 500,
    read: (keys) => this.#readAll(keys),
  });

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  subscribe(scope: RunScope, { onChange, onResync }: RunListener): () => void {
    const onEntry = (notice: RunNotice): void => onChange(this.#changeOfNotice(notice));
    return this.#deps.live.subscribe(runsChannel, scopeKey(scope), { onEntry, onResync });
  }

  read(tenantId: string, runId: number): Promise<RunChange | undefined> {
    return this.#read({ tenantId, runId });
  }

  settled(): Promise<void> {
    return this.#deps.live.settled();
  }

  changeOfRow(tenantId: string, { version, ...row }: VersionedRow): RunChange {
    const key = runName({ tenantId, runId: row.id });
    const updatedAt = Date.parse(row.updatedAt);
    const { workflowName } = row;
    const known = this.#readings.get(key);
    const isKnown = known?.version === version && known.updatedAt === updatedAt && known.workflowName === workflowName;
    if (isKnown) return known;
    remember(this.#rows, key, row, row);
    const head = buildHead(row.id, row.workflowId, version, row.status, updatedAt);
    const change = { ...head, workflowName, row: async () => row };
    remember(this.#readings, key, row, change);
    return change;
  }

  async #readAll(keys: RunKey[]): Promise<(RunChange | undefined)[]> {
    const { rows } = await this.#deps.database.system.query<VersionedRow & { tenantId: string }>({
      name: 'read-run-changes',
      text: readSql,
      values: [keys.map(({ tenantId }) => tenantId), keys.map(({ runId }) => runId)],
      types: isoInstants,
    });
    const changes = new Map(
      rows.map(({ tenantId, ...row }) => [runName({ tenantId, runId: row.id }), this.changeOfRow(tenantId, row)]),
    );
    return keys.map((key) => changes.get(runName(key)));
  }

  #changeOfNotice(notice: RunNotice): RunChange {
    const known = this.#changes.get(notice);
    if (known) return known;
    const [, runId, workflowId, status, version, , , updatedAt] = notice;
    let row: Promise<RunRow> | undefined;
    const readOnce = (): Promise<RunRow> =>
      (row ??= this.#rowOfNotice(notice).catch((error: unknown) => {
        row = undefined;
        throw error;
      }));
    const change = { ...buildHead(runId, workflowId, version, status as RunStatus, updatedAt), row: readOnce };
    this.#changes.set(notice, change);
    return change;
  }

  async #rowOfNotice(notice: RunNotice): Promise<RunRow> {
    const [tenantId, runId, , status, , startedAt, completedAt, updatedAt, failed] = notice;
    const key = { tenantId, runId };
    // The text of an error is too large for a notice.
    const known = failed ? undefined : this.#rows.get(runName(key));
    const row = known ?? (await this.#readRow(key));
    const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
    const times = { startedAt: iso(startedAt), completedAt: iso(completedAt), updatedAt: iso(updatedAt) as string };
    const whole = { ...row, ...times, status: status as RunStatus, error: failed ? row.error : null };
    remember(this.#rows, runName(key), whole, whole);
    return whole;
  }

  async #readRow(key: RunKey): Promise<RunRow> {
    const until = Date.now() + 30_000;
    const change = await readUntilAnswered(
      () => this.#read(key),
      () => Date.now() > until,
      (error) => this.#deps.log.warn({ err: error }, 'a changed run could not be read'),
    );
    if (!change) throw new NotFoundError();
    return change.row();
  }
}

interface RunKey {
  tenantId: string;
  runId: number;
}

const runName = ({ tenantId, runId }: RunKey): string => `${tenantId}/${runId}`;

/** Remembers the value of an active run, and forgets that of one that has ended. */
function remember<Value>(values: Map<string, Value>, key: string, { status }: RunRow, value: Value): void {
  values.delete(key);
  if (isTerminal(status)) return;
  if (values.size >= maxRemembered) values.delete(values.keys().next().value as string);
  values.set(key, value);
}

const buildHead = (runId: number, workflowId: number, version: number, status: RunStatus, updatedAt: number) => ({
  runId,
  workflowId,
  version,
  updatedAt,
  status,
  supersedes: `run/${runId}`,
});
