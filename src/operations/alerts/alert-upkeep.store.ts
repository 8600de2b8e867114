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
  await tx.query(
    `UPDATE alert_messages SET status = 'failed', error = coalesce(error, 'Its job was lost.')
     WHERE status IN ('pending', 'sending') AND created_at < now() - $1 * interval '1 day'`,
    [longestDays],
  );
}
