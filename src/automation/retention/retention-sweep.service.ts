import type { Deps } from '#src/infra/deps.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { isOutage } from '#src/infra/postgres/outages.ts';
import { sqlState } from '#src/infra/postgres/sql-errors.ts';
import { pause } from '#src/infra/timing/timers.ts';
import { type FilePlace, purgeFiles } from './file-purge.service.ts';
import {
  dropPartitions,
  purgeAudit,
  purgeBundles,
  purgeDeadLetters,
  purgeRunKeys,
  purgeWorkflows,
} from './history-purge.store.ts';
import { defaultRetention, type Retention } from './retention.rules.ts';
import { type Pass, purgeDetails, purgeRuns, purgeTestRuns } from './run-purge.store.ts';

export interface SweepOptions {
  /** No pass begins after this time; the rest waits for the next sweep. */
  budgetMs?: number;
  /** One tenant's share of the budget, a tenth by default; every tenant gets at least one pass. */
  turnMs?: number;
  /** The pause between passes, so that a sweep never takes all of the disk's throughput. */
  pauseMs?: number;
  /** The progress of earlier sweeps, from which this one continues and which it updates. */
  round?: Round;
  signal?: AbortSignal;
}

/** Deleted rows by kind, and where the next sweep begins. */
export interface Sweep {
  deleted: Partial<Record<Swept, number>>;
  partitions: string[];
  /** Undefined when all tenants had their turn. */
  afterTenant: string | undefined;
}
type Swept =
  | 'runs'
  | 'files'
  | 'steps'
  | 'logLines'
  | 'deadLetters'
  | 'auditEntries'
  | 'bundles'
  | 'workflows'
  | 'runKeys';

/** The progress of a round: each tenant has a turn, then the data of no single tenant, then the tenants that did not finish. */
export interface Round {
  /** Epoch milliseconds. */
  begunAt: number;
  /** The last tenant that had its turn; undefined before the first turn and after the last. */
  afterTenant: string | undefined;
  isAround: boolean;
  /** Where tenants stopped whose turn ended early, longest waiting first. */
  stopped: Map<string, { walk: string; from: unknown }>;
}

export const newRound = (): Round => ({
  begunAt: Date.now(),
  afterTenant: undefined,
  isAround: false,
  stopped: new Map(),
});

export const isRoundDone = ({ isAround, stopped }: Round): boolean => isAround && stopped.size === 0;

/** Deletes in passes, each starting where the last one ended, until none is left. */
interface Walk {
  name: string;
  what: Swept;
  start: unknown;
  pass: (from: unknown) => Promise<{ deleted: number; next: unknown }>;
}

const defineWalk = <Place>(
  name: string,
  what: Swept,
  start: Place,
  pass: (from: Place) => Promise<{ deleted: number; next: Place | undefined }>,
): Walk => ({ name, what, start, pass: (from) => pass(from as Place) });

const tenantsAtOnce = 100;
/** After this time every tenant gets another turn, even if some have not finished the last one. */
const roundMs = 3_600_000;
/** The key of the turn for data of no single tenant. */
const sharedTurn = '';

interface TenantRow {
  id: string;
  retention: Retention;
  /** Workflows that keep their runs for fewer days than the tenant. */
  shorter: { workflowId: number; days: number }[];
}

/**
 * Deletes what each tenant's settings no longer keep, tenant by tenant in short passes. A tenant that does not finish in its
 * turn continues after the others, so that none delays them. Run one at a time; the workers' sweeper ensures this.
 */
export async function sweepRetention(deps: Deps, options: SweepOptions = {}): Promise<Sweep> {
  const { database } = deps;
  const { budgetMs = 60_000, turnMs = budgetMs / 10, pauseMs = 20, round = newRound(), signal } = options;
  const deadline = Date.now() + budgetMs;
  const isOver = (end = deadline) => Date.now() > end || signal?.aborted === true;
  const deleted: Sweep['deleted'] = {};

  async function takeTurn(who: string, walks: Walk[]): Promise<void> {
    const end = Math.min(Date.now() + turnMs, deadline);
    const stopped = round.stopped.get(who);
    round.stopped.delete(who);
    // Changed settings may have removed the walk.
    const first = walks.findIndex(({ name }) => name === stopped?.walk);
    let isFirst = true;
    for (const [index, { name, what, start, pass }] of walks.entries()) {
      if (index < first) continue;
      for (let from = index === first ? stopped?.from : start; from !== undefined; isFirst = false) {
        if (!isFirst && isOver(end)) {
          round.stopped.set(who, { walk: name, from });
          return;
        }
        const { deleted: gone, next } = await pass(from);
        if (gone > 0) deleted[what] = (deleted[what] ?? 0) + gone;
        if (next !== undefined || gone > 0) await pause(pauseMs, signal);
        from = next;
      }
    }
  }

  /** A failure in one tenant's rows must not block the others forever. */
  const sweepTenant = (tenant: TenantRow): Promise<void> =>
    takeTurn(tenant.id, planWalks(deps, tenant)).catch((error: unknown) => {
      if (isOutage(error)) throw error;
      deps.log.error({ err: error, tenantId: tenant.id }, 'Retention failed for a tenant; continuing with the next.');
    });

  const partitions = await dropPartitions(database).catch((error: unknown) => {
    // The table was in use; the next sweep tries again.
    if (sqlState(error) !== '55P03') throw error;
    return [];
  });
  if (isRoundDone(round) || (round.isAround && Date.now() - round.begunAt > roundMs)) {
    Object.assign(round, { begunAt: Date.now(), isAround: false });
  }
  while (!isOver() && !round.isAround) {
    const tenants = await readTenants(database, { after: round.afterTenant ?? '' });
    for (const tenant of tenants) {
      if (isOver()) break;
      await sweepTenant(tenant);
      round.afterTenant = tenant.id;
    }
    if (isOver() || tenants.length === tenantsAtOnce) continue;
    await takeTurn(sharedTurn, sharedWalks(database));
    Object.assign(round, { afterTenant: undefined, isAround: true });
  }
  for (let [who] = round.stopped.keys(); who !== undefined && !isOver(); [who] = round.stopped.keys()) {
    if (who === sharedTurn) {
      await takeTurn(sharedTurn, sharedWalks(database));
      continue;
    }
    const [tenant] = await readTenants(database, { id: who });
    if (tenant) await sweepTenant(tenant);
    else round.stopped.delete(who);
  }
  return { deleted, partitions, afterTenant: round.afterTenant };
}

const sharedWalks = (database: Database): Walk[] => [
  defineWalk<Parameters<typeof purgeWorkflows>[1]>('workflows', 'workflows', null, (from) =>
    purgeWorkflows(database, from),
  ),
  defineWalk('runKeys', 'runKeys', '-infinity', (from) => purgeRunKeys(database, from)),
];

function planWalks(deps: Deps, { id: tenantId, retention, shorter }: TenantRow): Walk[] {
  const { database } = deps;
  const { runDays, stepDays, logDays, auditDays } = retention;
  const during = (days: number) => ({ tenantId, days });
  const walk = (name: string, what: Swept, pass: (from: number) => Promise<Pass>) => defineWalk(name, what, 0, pass);
  const walks = [walk('testRuns', 'runs', (from) => purgeTestRuns(database, tenantId, from))];
  if (stepDays !== null)
    walks.push(walk('steps', 'steps', (from) => purgeDetails(database, 'steps', during(stepDays), from)));
  if (logDays !== null)
    walks.push(walk('logLines', 'logLines', (from) => purgeDetails(database, 'run_log_lines', during(logDays), from)));
  for (const { workflowId, days } of shorter)
    walks.push(
      walk(`runs of ${workflowId}`, 'runs', (from) => purgeRuns(database, { ...during(days), workflowId }, from)),
    );
  if (runDays !== null) {
    walks.push(walk('runs', 'runs', (from) => purgeRuns(database, during(runDays), from)));
    for (const status of ['replayed', 'discarded'] as const)
      walks.push(walk(status, 'deadLetters', (from) => purgeDeadLetters(database, status, during(runDays), from)));
  }
  if (auditDays !== null) walks.push(walk('audit', 'auditEntries', () => purgeAudit(database, during(auditDays))));
  // After the runs, because the files of deleted runs are no longer needed.
  walks.push(
    defineWalk<FilePlace>('files', 'files', { runId: 0, id: '' }, (from) => purgeFiles(deps, tenantId, from)),
    walk('bundles', 'bundles', (from) => purgeBundles(database, tenantId, from)),
  );
  return walks;
}

async function readTenants({ system }: Database, { after, id }: { after?: string; id?: string }): Promise<TenantRow[]> {
  const { rows } = await system.query<{
    id: string;
    settings: Record<'run_days' | 'step_days' | 'log_days' | 'audit_days', number | null> | null;
    shorter: TenantRow['shorter'];
  }>(
    `SELECT t.id, (SELECT to_jsonb(s) FROM retention_settings s WHERE s.tenant_id = t.id) AS settings, (
       SELECT coalesce(jsonb_agg(jsonb_build_object('workflowId', w.id, 'days', (w.blob #>> '{settings,retention_days}')::int)), '[]')
       FROM workflows w WHERE w.tenant_id = t.id AND w.blob #>> '{settings,retention_days}' IS NOT NULL
     ) AS shorter FROM tenants t WHERE ${after === undefined ? 't.id = $1' : 't.id > $1'} ORDER BY t.id LIMIT ${tenantsAtOnce}`,
    [after ?? id],
  );
  return rows.map(({ id, settings, shorter }) => {
    const retention = settings
      ? {
          runDays: settings.run_days,
          stepDays: settings.step_days,
          logDays: settings.log_days,
          auditDays: settings.audit_days,
          updatedAt: null,
        }
      : defaultRetention;
    return { id, retention, shorter: shorter.filter(({ days }) => days < (retention.runDays ?? Infinity)) };
  });
}
