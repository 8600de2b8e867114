import { announcedFailures } from '#src/automation/polls/poll-failures.rules.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';
import { toColumns } from '#src/infra/postgres/statements/columns.ts';
import type { AlertKind } from './alert-recipients.inputs.ts';

/** A run that failed, as its event says. */
export interface FailedRun {
  tenantId: string;
  runId: number;
  at: Date;
}

/**
 * Adds failures of a common table `failed` to the alerts of their tenants' recipients: one row for each recipient, workflow and error
 * group. A group that was in a message a short while ago is due when its quiet time ends, and any other now. In the order of the key, so
 * that two passes do not wait for each other.
 */
const addFailures = (kind: AlertKind): string => `
  INSERT INTO alerts AS a (tenant_id, recipient_id, key, kind, subject_id, error_group_id, count, first_at, last_at, due_at)
  SELECT r.tenant_id, r.id, concat_ws('/', '${kind}', f.workflow_id, f.error_group_id), '${kind}', f.workflow_id, f.error_group_id, f.count,
    f.first_at, f.last_at, $1::timestamptz
  FROM (
    SELECT tenant_id, workflow_id, error_group_id, count(*)::int AS count, min(at) AS first_at, max(at) AS last_at
    FROM failed GROUP BY tenant_id, workflow_id, error_group_id
  ) AS f JOIN alert_recipients r ON r.tenant_id = f.tenant_id AND r.active AND '${kind}' = ANY(r.kinds)
  ORDER BY 1, 2, 3
  ON CONFLICT (tenant_id, recipient_id, key) DO UPDATE SET count = a.count + excluded.count, last_at = excluded.last_at,
    first_at = CASE WHEN a.count = 0 THEN excluded.first_at ELSE a.first_at END,
    due_at = CASE WHEN a.count = 0 THEN greatest(excluded.due_at, a.quiet_until) ELSE a.due_at END`;

/** Those of the tenants that tell somebody of a kind. */
export async function findAlertedTenants(
  tx: SystemTx,
  kind: AlertKind,
  tenantIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await tx.query<{ tenantId: string }>({
    name: 'find-alerted-tenants',
    text: `SELECT DISTINCT tenant_id AS "tenantId" FROM alert_recipients WHERE tenant_id = ANY($1::text[]) AND active AND $2 = ANY(kinds)`,
    values: [tenantIds, kind],
  });
  return new Set(rows.map(({ tenantId }) => tenantId));
}

/** Adds failed runs to the alerts, all in one statement. */
export async function addFailedRuns(tx: SystemTx, at: Date, runs: readonly FailedRun[]): Promise<void> {
  await tx.query({
    name: 'add-failed-runs-to-alerts',
    text: `WITH failed AS (
        SELECT r.tenant_id, r.workflow_id, r.error_group_id, t.at
        FROM unnest($2::text[], $3::bigint[], $4::timestamptz[]) AS t(tenant_id, id, at)
        JOIN runs r ON r.tenant_id = t.tenant_id AND r.id = t.id WHERE NOT r.is_test
      ) ${addFailures('failed_runs')}`,
    values: [at, ...toColumns(runs, 'tenantId', 'runId', 'at')],
  });
}

/** Adds one batch of new dead letters to the alerts, and returns how many letters there were. Each letter is added once. */
export async function addDeadLetters(tx: SystemTx, at: Date, most: number): Promise<number> {
  const { rows } = await tx.query<{ letters: number }>({
    name: 'add-dead-letters-to-alerts',
    text: `WITH fresh AS MATERIALIZED (
        SELECT tenant_id, id FROM dead_letters WHERE NOT is_noted ORDER BY tenant_id, id LIMIT $2 FOR UPDATE SKIP LOCKED
      ), failed AS MATERIALIZED (
        UPDATE dead_letters d SET is_noted = true FROM fresh WHERE d.tenant_id = fresh.tenant_id AND d.id = fresh.id
        RETURNING d.tenant_id, d.workflow_id, d.error_group_id, d.created_at AS at
      ), added AS (${addFailures('dead_letters')})
      SELECT count(*)::int AS letters FROM failed`,
    values: [at, most],
  });
  return rows[0]?.letters ?? 0;
}

/** The part of the key of a credential's alert that says what is wrong with it. */
const credentialStage = `CASE WHEN c.status = 'revoked' THEN 'revoked'
  WHEN c.status = 'expired' OR c.expires_at <= $1::timestamptz THEN 'expired' ELSE 'expiring' END`;

/** Each state of a destination, credential or poll that recipients are notified about, as rows of `alerts`; $1 is the time. */
const states = `
  SELECT r.tenant_id, r.id AS recipient_id, 'disabled_destinations/' || d.id AS key, 'disabled_destinations' AS kind, d.id AS subject_id,
    d.updated_at AS at
  FROM alert_recipients r JOIN webhook_destinations d ON d.tenant_id = r.tenant_id AND d.status = 'disabled'
  WHERE r.active AND 'disabled_destinations' = ANY(r.kinds)
  UNION ALL
  SELECT r.tenant_id, r.id, concat_ws('/', 'expiring_credentials', c.id, ${credentialStage}), 'expiring_credentials', c.id,
    CASE WHEN c.expires_at <= $1::timestamptz THEN c.expires_at ELSE $1::timestamptz END
  FROM alert_recipients r JOIN credentials c ON c.tenant_id = r.tenant_id
    AND (c.status IN ('expired', 'revoked') OR c.expires_at <= $1::timestamptz + r.expiring_days * interval '1 day')
  WHERE r.active AND 'expiring_credentials' = ANY(r.kinds)
  UNION ALL
  SELECT r.tenant_id, r.id, 'failing_polls/' || p.trigger_id, 'failing_polls', p.trigger_id, coalesce(p.last_polled_at, $1::timestamptz)
  FROM alert_recipients r JOIN polls p ON p.tenant_id = r.tenant_id AND p.active AND p.failures >= ${announcedFailures}
  WHERE r.active AND 'failing_polls' = ANY(r.kinds)`;

/** The due time of an alert whose state is over, and that stays until its quiet time ends. */
const ended = `'infinity'::timestamptz`;

/**
 * Adds disabled destinations, expiring credentials and failing polls to the alerts, once for each time that they come about, and removes the
 * alerts of those that are over. Of what was mended before a message was sent, nobody is told. A state that comes back within the quiet time of its
 * last message is due when that ends, so that a destination which is switched often sends few messages.
 */
export async function compareStates(tx: SystemTx, at: Date): Promise<void> {
  await tx.query({
    name: 'compare-alerted-states',
    // A full join, because it is never a nested loop: the numbers of alerts and states are those of all tenants.
    text: `WITH state AS MATERIALIZED (${states}
      ), changed AS MATERIALIZED (
        SELECT tenant_id, recipient_id, key, s.kind, s.subject_id, s.at, s.kind IS NULL AS is_over,
          coalesce(a.quiet_until > $1::timestamptz, false) AS is_quiet
        FROM (
          SELECT tenant_id, recipient_id, key, kind, due_at, quiet_until FROM alerts WHERE kind NOT IN ('failed_runs', 'dead_letters')
        ) AS a FULL JOIN state s USING (tenant_id, recipient_id, key)
        WHERE s.kind IS NULL OR a.kind IS NULL OR a.due_at = ${ended}
      ), kept AS (
        UPDATE alerts a SET count = 0, due_at = ${ended} FROM changed c
        WHERE c.is_over AND c.is_quiet AND a.tenant_id = c.tenant_id AND a.recipient_id = c.recipient_id AND a.key = c.key AND a.due_at <> ${ended}
      ), removed AS (
        DELETE FROM alerts a USING changed c
        WHERE c.is_over AND NOT c.is_quiet AND a.tenant_id = c.tenant_id AND a.recipient_id = c.recipient_id AND a.key = c.key
      )
      INSERT INTO alerts AS a (tenant_id, recipient_id, key, kind, subject_id, count, first_at, last_at, due_at)
      SELECT tenant_id, recipient_id, key, kind, subject_id, 1, at, at, $1::timestamptz FROM changed WHERE NOT is_over ORDER BY 1, 2, 3
      ON CONFLICT (tenant_id, recipient_id, key) DO UPDATE SET count = 1, first_at = excluded.first_at, last_at = excluded.last_at,
        due_at = greatest(excluded.due_at, a.quiet_until)
      WHERE a.due_at = ${ended}`,
    values: [at],
  });
}
