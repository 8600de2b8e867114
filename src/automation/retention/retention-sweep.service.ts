import { setTimeout as delay } from 'node:timers/promises';
import type { Deps } from '#src/platform/deps.ts';
import { sqlState } from '#src/platform/errors.ts';
import { isOutage } from '#src/platform/outages.ts';
import {
  dropPartitions,
  purgeAudit,
  purgeBundles,
  purgeDeadLetters,
  purgeRunKeys,
  purgeWorkflows,
} from './remains-purge.service.ts';
import { defaultRetention, type Retention } from './retention.service.ts';
import { type Pass, purgeDetails, purgeRuns } from './run-purge.service.ts';

export interface SweepOptions {
  /** Begins no further pass after so long. What is left waits for the next sweep, which goes on with the next tenant. */
  budgetMs?: number;
  /** Between passes, so that a sweep never has the disk to itself. */
  pauseMs?: number;
  /** The last tenant that the former sweep finished. */
  afterTenant?: string;
  signal?: AbortSignal;
}

/** Rows that went, by what they were, and where the next sweep begins. */
export interface Sweep {
  deleted: Partial<Record<Swept, number>>;
  partitions: string[];
  /** Undefined where all tenants were done. */
  afterTenant: string | undefined;
}
type Swept = 'runs' | 'steps' | 'logLines' | 'deadLetters' | 'auditEntries' | 'bundles' | 'workflows' | 'runKeys';

const tenantsAtOnce = 100;

interface TenantRow {
  id: string;
  retention: Retention;
  /** Workflows that keep their runs for fewer days than the tenant does. */
  shorter: { workflowId: number; days: number }[];
}

/**
 * Deletes what each tenant's settings no longer keep, tenant by tenant in short passes. Run one at a time:
 * the sweeper of the workers sees to it.
 */
export async function sweepRetention(deps: Deps, options: SweepOptions = {}): Promise<Sweep> {
  const { database } = deps;
  const { budgetMs = 60_000, pauseMs = 20, signal } = options;
  const deadline = Date.now() + budgetMs;
  const isOver = () => Date.now() > deadline || signal?.aborted === true;
  const sweep: Sweep = { deleted: {}, partitions: [], afterTenant: options.afterTenant };

  /** Walks until there is nothing more or time is up; answers whether it came to the end. */
  async function walk<Place>(
    what: Swept,
    start: Place,
    pass: (from: Place) => Promise<{ deleted: number; next: Place | undefined }>,
  ): Promise<boolean> {
    for (let from: Place | undefined = start; from !== undefined;) {
      if (isOver()) return false;
      const { deleted, next } = await pass(from);
      if (deleted > 0) sweep.deleted[what] = (sweep.deleted[what] ?? 0) + deleted;
      if (next !== undefined || deleted > 0) await delay(pauseMs, undefined, { signal }).catch(() => undefined);
      from = next;
    }
    return true;
  }

  async function sweepTenant({ id: tenantId, retention, shorter }: TenantRow): Promise<boolean> {
    const { runDays, stepDays, logDays, auditDays } = retention;
    const during = (days: number) => ({ tenantId, days });
    const walks: [Swept, (from: number) => Promise<Pass>][] = [];
    if (stepDays !== null) walks.push(['steps', (from) => purgeDetails(database, 'steps', during(stepDays), from)]);
    if (logDays !== null)
      walks.push(['logLines', (from) => purgeDetails(database, 'run_log_lines', during(logDays), from)]);
    for (const { workflowId, days } of shorter)
      walks.push(['runs', (from) => purgeRuns(database, { ...during(days), workflowId }, from)]);
    if (runDays !== null) {
      walks.push(['runs', (from) => purgeRuns(database, during(runDays), from)]);
      for (const status of ['replayed', 'discarded'] as const)
        walks.push(['deadLetters', (from) => purgeDeadLetters(database, status, during(runDays), from)]);
    }
    if (auditDays !== null) walks.push(['auditEntries', () => purgeAudit(database, during(auditDays))]);
    walks.push(['bundles', (from) => purgeBundles(database, tenantId, from)]);
    for (const [what, pass] of walks) {
      if (!(await walk(what, 0, pass))) return false;
    }
    return true;
  }

  sweep.partitions = await dropPartitions(database).catch((error: unknown) => {
    // Somebody was using the table; the next sweep finds it as it is.
    if (sqlState(error) !== '55P03') throw error;
    return [];
  });
  for (;;) {
    const tenants = await readTenants(deps, sweep.afterTenant ?? '');
    for (const tenant of tenants) {
      // What is wrong with one tenant's rows must not keep the others' for ever.
      const isDone = await sweepTenant(tenant).catch((error: unknown) => {
        if (isOutage(error)) throw error;
        deps.log.error({ err: error, tenantId: tenant.id }, 'Retention failed in a tenant and goes on with the next.');
        return true;
      });
      if (!isDone) return sweep;
      sweep.afterTenant = tenant.id;
    }
    if (tenants.length < tenantsAtOnce) break;
  }
  const isDone =
    (await walk('workflows', { tenantId: '', id: 0 }, (from) => purgeWorkflows(database, from))) &&
    (await walk('runKeys', '-infinity', (from) => purgeRunKeys(database, from)));
  if (isDone) sweep.afterTenant = undefined;
  return sweep;
}

async function readTenants({ database }: Deps, after: string): Promise<TenantRow[]> {
  const { rows } = await database.system.query<{
    id: string;
    settings: Record<'run_days' | 'step_days' | 'log_days' | 'audit_days', number | null> | null;
    shorter: TenantRow['shorter'];
  }>(
    `SELECT t.id, (SELECT to_jsonb(s) FROM retention_settings s WHERE s.tenant_id = t.id) AS settings, (
       SELECT coalesce(jsonb_agg(jsonb_build_object('workflowId', w.id, 'days', (w.blob #>> '{settings,retention_days}')::int)), '[]')
       FROM workflows w WHERE w.tenant_id = t.id AND w.blob #>> '{settings,retention_days}' IS NOT NULL
     ) AS shorter FROM tenants t WHERE t.id > $1 ORDER BY t.id LIMIT ${tenantsAtOnce}`,
    [after],
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
