import { observations } from '#src/infra/observations/observations.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';

const sweepBatch = 5_000;
const keptMessageDays = 30;

/** Deletes one batch of messages that are older than thirty days, and returns whether there may be more. */
export async function sweepMessages(tx: Pick<SystemTx, 'query'>): Promise<boolean> {
  const { rowCount } = await tx.query(
    `DELETE FROM alert_messages WHERE (tenant_id, id) IN (
       SELECT tenant_id, id FROM alert_messages WHERE created_at < now() - $1 * interval '1 day' ORDER BY created_at LIMIT $2
       FOR UPDATE SKIP LOCKED
     )`,
    [keptMessageDays, sweepBatch],
  );
  return rowCount === sweepBatch;
}

/** A week: longer than any quiet time. */
const keptAlertDays = 7;

/** Deletes one batch of failures' alerts that nothing was added to for a week, and returns whether there may be more. */
export async function sweepAlerts(tx: Pick<SystemTx, 'query'>): Promise<boolean> {
  const { rowCount } = await tx.query(
    `DELETE FROM alerts WHERE (tenant_id, recipient_id, key) IN (
       SELECT tenant_id, recipient_id, key FROM alerts
       WHERE count = 0 AND kind IN ('failed_runs', 'dead_letters') AND last_at < now() - $1 * interval '1 day' LIMIT $2 FOR UPDATE SKIP LOCKED
     )`,
    [keptAlertDays, sweepBatch],
  );
  return rowCount === sweepBatch;
}

/** A message whose job is lost would hold up its recipient: the retries of a job end within this time. */
const longestDays = 4;

/** Gives up messages whose job was lost. */
export async function giveUpLostMessages(tx: Pick<SystemTx, 'query'>): Promise<void> {
  const { rows } = await tx.query<{ isMail: boolean }>(
    `UPDATE alert_messages m SET status = 'failed', error = coalesce(m.error, 'Its job was lost.') FROM alert_recipients r
     WHERE m.status IN ('pending', 'sending') AND m.created_at < now() - $1 * interval '1 day' AND r.tenant_id = m.tenant_id AND r.id = m.recipient_id
     RETURNING r.url IS NULL AS "isMail"`,
    [longestDays],
  );
  for (const { isMail } of rows)
    observations.alertAttempted.tell({ channel: isMail ? 'mail' : 'webhook', outcome: 'given_up' });
}
