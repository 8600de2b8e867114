import { expiryNoticeDays } from '#src/automation/credentials/credentials.rules.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { groupFailedJobs } from '#src/operations/failed-jobs/failed-jobs.reads.ts';
import {
  type AttentionKind,
  type AttentionRow,
  importDays,
  maxCounted,
  failingMinutes,
  failureHours,
  maxFailedRuns,
  maxDeliveries,
  maxOfKind,
} from './attention.rules.ts';

/**
 * Reads what needs a person in a tenant, at most `maxOfKind` of each kind, in one statement. Each part reads a bounded number of rows
 * from an index.
 */
export async function readTenantAttention(
  database: Database,
  tenantId: string,
  kinds: readonly AttentionKind[],
): Promise<AttentionRow[]> {
  const parts = kinds.flatMap((kind) => (kind === 'failed_jobs' ? [] : [`(${statements[kind]})`]));
  if (parts.length === 0) return [];
  return database.tenantQuery<AttentionRow & Record<string, unknown>>(tenantId, {
    text: `SELECT * FROM (${parts.join(' UNION ALL ')}) AS rows (kind, severity, "nodeId", title, count, since, detail)`,
    values: [tenantId],
  });
}

/** Failed jobs of all tenants. */
export const readFailedJobs = async (database: Database): Promise<AttentionRow[]> =>
  (await groupFailedJobs(database, maxCounted)).slice(0, maxOfKind).map(({ job, count, since, newest }) => ({
    kind: 'failed_jobs',
    severity: 'warning',
    nodeId: newest,
    title: job,
    count,
    since,
    detail: null,
  }));

/** Deliveries to a destination that were given up or are held. */
const unsentCount = `(SELECT count(*) FROM (
    SELECT FROM webhook_deliveries v WHERE v.tenant_id = d.tenant_id AND v.destination_id = d.id AND v.stopped IS NOT NULL LIMIT ${maxDeliveries}
  ) AS counted)`;

/** The same, and those that were tried and wait for their next attempt. */
const undeliveredCount = `(SELECT count(*) FROM (
    (SELECT FROM webhook_deliveries v WHERE v.tenant_id = d.tenant_id AND v.destination_id = d.id AND v.stopped IS NOT NULL LIMIT ${maxDeliveries})
    UNION ALL
    (SELECT FROM webhook_deliveries v
      WHERE v.tenant_id = d.tenant_id AND v.destination_id = d.id AND v.next_attempt_at IS NOT NULL LIMIT ${maxDeliveries})
    LIMIT ${maxDeliveries}
  ) AS counted)`;

/** A tenant has at most 250 destinations and 1,000 credentials, so their filters need no index. */
const statements: Record<Exclude<AttentionKind, 'failed_jobs'>, string> = {
  failing_runs: `
    SELECT 'failing_runs', 'warning', g.id::text, coalesce(g.node, g.code), (
        SELECT count(*) FROM (
          SELECT FROM runs r WHERE r.tenant_id = g.tenant_id AND r.error_group_id = g.id LIMIT ${maxFailedRuns}
        ) AS counted
      ), coalesce(g.reopened_at, g.first_at), g.message
    FROM error_groups g
    WHERE g.tenant_id = $1 AND g.kind = 'run' AND g.status = 'open' AND g.last_at >= now() - interval '${failureHours} hours'
      AND EXISTS (SELECT FROM runs r WHERE r.tenant_id = g.tenant_id AND r.error_group_id = g.id)
    ORDER BY g.last_at DESC LIMIT ${maxOfKind}`,
  dead_letters: `
    SELECT 'dead_letters', 'warning', max(d.id)::text, w.name, count(*), min(d.created_at), NULL
    FROM (
      SELECT tenant_id, id, workflow_id, created_at FROM dead_letters
      WHERE tenant_id = $1 AND status = 'pending' ORDER BY id DESC LIMIT ${maxCounted}
    ) AS d JOIN workflows w ON w.tenant_id = d.tenant_id AND w.id = d.workflow_id
    GROUP BY w.id, w.name ORDER BY max(d.id) DESC LIMIT ${maxOfKind}`,
  destination_disabled: `
    SELECT 'destination_disabled', CASE d.disabled_reason WHEN 'manual' THEN 'info' ELSE 'critical' END, d.id::text, d.name, ${unsentCount},
      coalesce(CASE d.disabled_reason WHEN 'failing' THEN q.failing_since END, d.updated_at), d.disabled_reason
    FROM webhook_destinations d LEFT JOIN webhook_queues q ON q.tenant_id = d.tenant_id AND q.destination_id = d.id
    WHERE d.tenant_id = $1 AND d.status = 'disabled'
    ORDER BY d.disabled_reason = 'manual', d.updated_at DESC LIMIT ${maxOfKind}`,
  destination_failing: `
    SELECT 'destination_failing', 'warning', d.id::text, d.name, ${undeliveredCount}, coalesce(q.failing_since, d.updated_at), q.problem
    FROM webhook_destinations d JOIN webhook_queues q ON q.tenant_id = d.tenant_id AND q.destination_id = d.id
    WHERE d.tenant_id = $1 AND d.status = 'enabled'
      AND (q.problem IS NOT NULL OR q.failing_since <= now() - interval '${failingMinutes} minutes')
    ORDER BY q.failing_since DESC LIMIT ${maxOfKind}`,
  credential_expiring: `
    SELECT 'credential_expiring',
      CASE WHEN status IN ('expired', 'revoked') OR expires_at <= now() + interval '${expiryNoticeDays.second} days' THEN 'critical' ELSE 'warning' END,
      id::text, name, 1,
      CASE WHEN status IN ('expired', 'revoked') THEN updated_at WHEN expires_at <= now() THEN expires_at
        ELSE greatest(created_at, expires_at - interval '${expiryNoticeDays.first} days') END,
      CASE WHEN status = 'revoked' THEN 'revoked' WHEN status = 'expired' OR expires_at <= now() THEN 'expired'
        ELSE to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') END
    FROM credentials
    WHERE tenant_id = $1 AND (status IN ('expired', 'revoked') OR expires_at <= now() + interval '${expiryNoticeDays.first} days')
    ORDER BY expires_at NULLS FIRST, id LIMIT ${maxOfKind}`,
  import_rejects: `
    SELECT 'import_rejects', CASE status WHEN 'failed' THEN 'critical' ELSE 'warning' END, id::text, profile_name, rows_rejected, finished_at,
      CASE status WHEN 'failed' THEN coalesce(error, '') END
    FROM (
      SELECT DISTINCT ON (target, profile_name) * FROM (
        SELECT id, kind, target, profile_name, dry_run, status, rows_rejected, finished_at, error FROM bulk_jobs
        WHERE tenant_id = $1 AND created_at >= now() - interval '${importDays} days' ORDER BY created_at DESC, id DESC LIMIT ${maxCounted}
      ) AS recent
      WHERE kind = 'import' AND NOT dry_run AND status IN ('completed', 'failed') ORDER BY target, profile_name, id DESC
    ) AS last
    WHERE status = 'failed' OR rows_rejected > 0 ORDER BY finished_at DESC LIMIT ${maxOfKind}`,
  // A breaker opens for five seconds, and again with the next page that shows the extension.
  circuit_open: `
    SELECT 'circuit_open', 'critical', i.id::text, i.vendor || '/' || i.name, b.openings, b.opened_at, NULL
    FROM extension_breakers b JOIN extension_installations i ON i.tenant_id = b.tenant_id AND i.extension_id = b.extension_id
    WHERE b.tenant_id = $1 AND b.open_until > now() - interval '1 minute' AND i.status = 'installed'
    ORDER BY b.opened_at DESC LIMIT ${maxOfKind}`,
};
