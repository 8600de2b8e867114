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

const keyOf = (scope: RunScope): string => {
  if ('runId' in scope) return `${scope.tenantId}/run/${scope.runId}`;
  return scope.workflowId === null ? scope.tenantId : `${scope.tenantId}/workflow/${scope.workflowId}`;
};

const readSql = `
  SELECT r.tenant_id AS "tenantId", r.version, ${runColumns}
  FROM unnest($1::text[], $2::bigint[]) AS wanted(tenant_id, id)
  JOIN runs r ON r.tenant_id = wanted.tenant_id AND r.id = wanted.id
  JOIN workflows w ON w.tenant_id = r.tenant_id AND w.id = r.workflow_id`;

const rememberedRows = 10_000;
/** Opens the feed of a process. */
export function createRunFeed({ live, database, log }: Deps): RunFeed {
  const changes = new WeakMap<RunNotice, RunChange>();
  /** Rows of active runs, for the columns that do not change. */
  const rows = new Map<string, RunRow>();
  /**
   * The last state read of each active run. Readers that attach one after the other share it: with an object each, a
   * thousand that reconnect at the same time would cause a thousand executions.
   */
  const readings = new Map<string, RunChange & { workflowName: string }>();

  const read = createSharedReader<{ tenantId: string; runId: number }, RunChange | undefined>({
    name: ({ tenantId, runId }) => `${tenantId}/${runId}`,
    maxBatch: 500,
    async read(keys) {
      const { rows: found } = await database.system.query<VersionedRow & { tenantId: string }>({
        name: 'read-run-changes',
        text: readSql,
        values: [keys.map(({ tenantId }) => tenantId), keys.map(({ runId }) => runId)],
        types: isoInstants,
      });
      const byKey = new Map(found.map(({ tenantId, ...row }) => [`${tenantId}/${row.id}`, changeOfRow(tenantId, row)]));
      return keys.map(({ tenantId, runId }) => byKey.get(`${tenantId}/${runId}`));
    },
  });

  function changeOfRow(tenantId: string, { version, ...row }: VersionedRow): RunChange {
    const key = `${tenantId}/${row.id}`;
    const known = readings.get(key);
    const isKnown = known?.version === version && known.updatedAt === Date.parse(row.updatedAt);
    if (known && isKnown && known.workflowName === row.workflowName) return known;
    remember(rows, key, row, row);
    const { workflowName } = row;
    const head = headOf(row.id, row.workflowId, version, row.status, Date.parse(row.updatedAt));
    const change = { ...head, workflowName, row: async () => row };
    remember(readings, key, row, change);
    return change;
  }

  function changeOfNotice(notice: RunNotice): RunChange {
    let change = changes.get(notice);
    if (!change) {
      const [, runId, workflowId, status, version, , , updatedAt] = notice;
      let row: Promise<RunRow> | undefined;
      const readOnce = (): Promise<RunRow> =>
        (row ??= rowOf(notice).catch((error: unknown) => {
          row = undefined;
          throw error;
        }));
      change = { ...headOf(runId, workflowId, version, status as RunStatus, updatedAt), row: readOnce };
      changes.set(notice, change);
    }
    return change;
  }

  async function rowOf([
    tenantId,
    runId,
    ,
    status,
    ,
    startedAt,
    completedAt,
    updatedAt,
    failed,
  ]: RunNotice): Promise<RunRow> {
    // The text of an error is too large for a notice.
    const known = failed ? undefined : rows.get(`${tenantId}/${runId}`);
    const row = known ?? (await readRow(tenantId, runId));
    const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
    const times = { startedAt: iso(startedAt), completedAt: iso(completedAt), updatedAt: iso(updatedAt) as string };
    const whole = { ...row, ...times, status: status as RunStatus, error: failed ? row.error : null };
    remember(rows, `${tenantId}/${runId}`, whole, whole);
    return whole;
  }

  async function readRow(tenantId: string, runId: number): Promise<RunRow> {
    const until = Date.now() + 30_000;
    const change = await readUntilAnswered(
      () => read({ tenantId, runId }),
      () => Date.now() > until,
      (error) => log.warn({ err: error }, 'a changed run could not be read'),
    );
    if (!change) throw new NotFoundError();
    return change.row();
  }

  function remember<Value>(those: Map<string, Value>, key: string, { status }: RunRow, value: Value): void {
    those.delete(key);
    if (isTerminal(status)) return;
    if (those.size >= rememberedRows) those.delete(those.keys().next().value as string);
    those.set(key, value);
  }

  return {
    subscribe: (scope, { onChange, onResync }) =>
      live.subscribe(runsChannel, keyOf(scope), { onEntry: (notice) => onChange(changeOfNotice(notice)), onResync }),
    read: (tenantId, runId) => read({ tenantId, runId }),
    settled: () => live.settled(),
    changeOfRow,
  };
}

const headOf = (runId: number, workflowId: number, version: number, status: RunStatus, updatedAt: number) => ({
  runId,
  workflowId,
  version,
  updatedAt,
  status,
  supersedes: `run/${runId}`,
});
