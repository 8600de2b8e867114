import type { Database } from '#src/infra/postgres/database.ts';
import { maxRows, type Pass } from './run-purge.store.ts';

const rowsAtOnce = 1_000;
const workflowsAtOnce = 50;

/** Deletes dead letters settled more than `days` ago, within the tenant's next batch after `from`. */
export function purgeDeadLetters(
  database: Database,
  status: 'replayed' | 'discarded',
  { tenantId, days }: { tenantId: string; days: number },
  from: number,
): Promise<Pass> {
  return database.withSystem(async (client) => {
    const { rows: met } = await client.query<{ id: number; is_old: boolean; is_over: boolean }>(
      `SELECT id, created_at < now() - $2 * interval '1 day' AS is_old, updated_at < now() - $2 * interval '1 day' AS is_over
       FROM dead_letters WHERE tenant_id = $1 AND status = $4 AND id > $3 ORDER BY id LIMIT ${rowsAtOnce}`,
      [tenantId, days, from, status],
    );
    const ids = met.filter((letter) => letter.is_over).map(({ id }) => id);
    if (ids.length > 0) {
      const values = [tenantId, ids];
      await client.query(
        'DELETE FROM dead_letter_payloads WHERE tenant_id = $1 AND dead_letter_id = ANY($2::bigint[])',
        values,
      );
      await client.query('DELETE FROM dead_letters WHERE tenant_id = $1 AND id = ANY($2::bigint[])', values);
    }
    const hasMore = met.length === rowsAtOnce && met.at(-1)?.is_old === true;
    return { deleted: ids.length, next: hasMore ? met.at(-1)?.id : undefined };
  });
}

/**
 * Deletes the tenant's audit entries older than `days`, through a database function that refuses to delete what the tenant's
 * settings keep.
 */
export async function purgeAudit(
  { system }: Database,
  { tenantId, days }: { tenantId: string; days: number },
): Promise<Pass> {
  const { rows } = await system.query<{ purged: number }>(
    `SELECT purge_audit($1, now() - $2 * interval '1 day', ${maxRows}) AS purged`,
    [tenantId, days],
  );
  const deleted = rows[0]?.purged ?? 0;
  return { deleted, next: deleted === maxRows ? 0 : undefined };
}

/**
 * Deletes bundles that are no longer needed, within the tenant's next batch after `from`. It keeps the current bundle of a
 * workflow, one replaced less than a day ago (a firing may still be creating its run), and those of runs that are active, or
 * that failed and may be retried. A bundle that was made for test runs is kept for a day.
 */
export async function purgeBundles({ system }: Database, tenantId: string, from: number): Promise<Pass> {
  const { rows: met } = await system.query<{ id: number; overtaken: boolean }>(
    `SELECT b.id, b.id IS DISTINCT FROM w.bundle_id AND CASE WHEN b.content_hash IS NOT NULL THEN b.created_at < now() - interval '1 day' ELSE EXISTS (
         SELECT FROM workflow_bundles newer WHERE newer.tenant_id = b.tenant_id AND newer.workflow_id = b.workflow_id
           AND newer.id > b.id AND newer.created_at < now() - interval '1 day' AND newer.content_hash IS NULL
       ) END AS overtaken
     FROM (SELECT * FROM workflow_bundles WHERE tenant_id = $1 AND id > $2 ORDER BY id LIMIT ${rowsAtOnce}) AS b
     JOIN workflows w ON w.tenant_id = b.tenant_id AND w.id = b.workflow_id ORDER BY b.id`,
    [tenantId, from],
  );
  const next = met.length === rowsAtOnce ? met.at(-1)?.id : undefined;
  const ids = met.filter(({ overtaken }) => overtaken).map(({ id }) => id);
  if (ids.length === 0) return { deleted: 0, next };
  const { rowCount } = await system.query(
    `WITH pinned AS MATERIALIZED (
       SELECT r.bundle_id FROM runs r WHERE r.tenant_id = $1 AND r.status IN ('queued', 'running', 'waiting') AND r.bundle_id = ANY($2::bigint[])
       UNION
       SELECT r.bundle_id FROM runs r WHERE r.tenant_id = $1 AND r.status = 'failed' AND r.bundle_id = ANY($2::bigint[])
     )
     DELETE FROM workflow_bundles b WHERE b.tenant_id = $1 AND b.id = ANY($2::bigint[])
       AND b.id NOT IN (SELECT bundle_id FROM pinned)
       AND NOT EXISTS (SELECT FROM workflows w WHERE w.tenant_id = b.tenant_id AND w.id = b.workflow_id AND w.bundle_id = b.id)`,
    [tenantId, ids],
  );
  return { deleted: rowCount ?? 0, next };
}

/**
 * Deletes workflows that their tenant deleted and that have no runs or dead letters left, with their revisions, bundles and
 * triggers. Covers all tenants, in the order of (tenant, id).
 */
export async function purgeWorkflows(
  database: Database,
  from: { tenantId: string; id: number } | null,
): Promise<{ deleted: number; next: { tenantId: string; id: number } | undefined }> {
  const { rows: met } = await database.system.query<{ tenant_id: string; id: number; is_bare: boolean }>(
    `SELECT w.tenant_id, w.id,
       NOT EXISTS (SELECT FROM runs r WHERE r.tenant_id = w.tenant_id AND r.workflow_id = w.id)
         AND NOT EXISTS (SELECT FROM dead_letters d WHERE d.tenant_id = w.tenant_id AND d.workflow_id = w.id) AS is_bare
     FROM (
       SELECT tenant_id, id FROM workflows WHERE deleted_at IS NOT NULL${from ? ' AND (tenant_id, id) > ($1, $2)' : ''}
       ORDER BY tenant_id, id LIMIT ${workflowsAtOnce}
     ) AS w ORDER BY w.tenant_id, w.id`,
    from ? [from.tenantId, from.id] : [],
  );
  let deleted = 0;
  for (const { tenant_id: tenantId, id } of met.filter((workflow) => workflow.is_bare)) {
    for (const table of ['workflow_revisions', 'workflow_bundles', 'triggers']) {
      const key = table === 'workflow_revisions' ? 'revision' : 'id';
      // These rows are large, so fewer are deleted at a time.
      for (let gone = rowsAtOnce; gone === rowsAtOnce;) {
        const { rowCount } = await database.system.query(
          `DELETE FROM ${table} WHERE tenant_id = $1 AND workflow_id = $2 AND ${key} IN (
             SELECT ${key} FROM ${table} WHERE tenant_id = $1 AND workflow_id = $2 LIMIT ${rowsAtOnce}
           )`,
          [tenantId, id],
        );
        gone = rowCount ?? 0;
      }
    }
    deleted += await database.withSystem(async (client) => {
      // Locked before the last check; a workflow that is still referenced stays.
      const values = [tenantId, id];
      await client.query('SELECT FROM workflows WHERE tenant_id = $1 AND id = $2 FOR UPDATE', values);
      const { rowCount } = await client.query(
        `DELETE FROM workflows w WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NOT NULL
           AND NOT EXISTS (SELECT FROM runs r WHERE r.tenant_id = w.tenant_id AND r.workflow_id = w.id)
           AND NOT EXISTS (SELECT FROM dead_letters d WHERE d.tenant_id = w.tenant_id AND d.workflow_id = w.id)`,
        values,
      );
      return rowCount ?? 0;
    });
  }
  const last = met.length === workflowsAtOnce ? met.at(-1) : undefined;
  return { deleted, next: last && { tenantId: last.tenant_id, id: last.id } };
}

/** Deletes idempotency keys of runs that are gone, within the next batch of keys older than a day after `from`. */
export async function purgeRunKeys(
  { system }: Database,
  from: string,
): Promise<{ deleted: number; next: string | undefined }> {
  const { rows } = await system.query<{ met: number; last: string | null; deleted: number }>(
    `WITH met AS MATERIALIZED (
       SELECT * FROM run_keys WHERE created_at >= $1::timestamptz AND created_at < now() - interval '1 day'
       ORDER BY created_at LIMIT ${maxRows}
     ), gone AS (
       DELETE FROM run_keys k USING met WHERE k.tenant_id = met.tenant_id AND k.workflow_id = met.workflow_id AND k.key = met.key
         AND NOT EXISTS (SELECT FROM runs r WHERE r.tenant_id = met.tenant_id AND r.id = met.run_id)
       RETURNING 1
     ) SELECT (SELECT count(*) FROM met) AS met, (SELECT max(created_at)::text FROM met) AS last, (SELECT count(*) FROM gone) AS deleted`,
    [from],
  );
  const { met, last, deleted } = rows[0] as (typeof rows)[number];
  const hasMore = met === maxRows && last !== null && (last !== from || deleted > 0);
  return { deleted, next: hasMore ? (last ?? undefined) : undefined };
}

/** Drops outdated partitions, oldest first, and returns their names. One that is locked is left for the next sweep. */
export async function dropPartitions({ system }: Database): Promise<string[]> {
  const dropped: string[] = [];
  for (const family of ['runs', 'audit_entries']) {
    const { rows } = await system.query<{ part: number }>(
      `SELECT substring(c.relname FROM '_p(\\d+)$')::bigint AS part FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = $1::regclass ORDER BY part LIMIT 20`,
      [family],
    );
    for (const { part } of rows) {
      const { rows: answer } = await system.query<{ dropped: boolean }>(
        'SELECT drop_passed_partition($1, $2) AS dropped',
        [family, part],
      );
      if (answer[0]?.dropped) dropped.push(`${family}_p${part}`);
    }
  }
  return dropped;
}
