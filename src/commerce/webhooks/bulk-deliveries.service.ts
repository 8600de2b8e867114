import { type BatchOutcome, divide } from '#src/infra/batch-outcome.ts';
import type { Actor } from '#src/infra/deps.ts';
import { type AppError, ConflictError, NotFoundError } from '#src/infra/errors.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { recordAudits } from '#src/journal/audit/audit.service.ts';
import { findExistingDeliveries, type LockedDelivery, lockDeliveries } from './bulk-deliveries.store.ts';
import { destinationDeleted, isDisabled } from './deliveries.service.ts';
import { queueOnce, wakeQueue } from './deliveries.store.ts';
import { notifyDeliveries } from './delivery-changes.service.ts';
import { notifyQueues } from './queue-notices.service.ts';
import { auditedDelivery } from './webhooks.declarations.ts';

function resendFault({ destinationStatus }: LockedDelivery): AppError | null {
  if (destinationStatus === null) return new ConflictError(destinationDeleted);
  return destinationStatus === 'disabled' ? isDisabled() : null;
}

/** Sends these deliveries once more in the caller's transaction, as `resendDelivery` does one. */
export async function resendDeliveries(
  tx: Tx,
  actor: Actor,
  ids: readonly number[],
  bulkActionId: number,
): Promise<BatchOutcome> {
  const { tenantId } = actor;
  const locked = await lockDeliveries(tx, tenantId, ids);
  const { accepted, refused } = divide(locked, resendFault);
  const seen = new Set(locked.map(({ id }) => id));
  const missing = ids.filter((id) => !seen.has(id));
  const existing = missing.length > 0 ? await findExistingDeliveries(tx, tenantId, missing) : new Set();
  const unknown = missing.filter((id) => !existing.has(id)).map((id) => ({ id, error: new NotFoundError() }));
  const done = accepted.map(({ id }) => id);
  const changed = await queueOnce(tx, tenantId, done);
  const destinations = [...new Set(changed.map(({ destinationId }) => destinationId))].toSorted((a, b) => a - b);
  for (const destinationId of destinations) await wakeQueue(tx, tenantId, destinationId);
  const metadata = { bulk_action_id: bulkActionId };
  await recordAudits(tx, actor, { resource: auditedDelivery, action: 'resend', metadata }, done);
  notifyDeliveries(tx, tenantId, changed);
  notifyQueues(
    tx,
    destinations.map((destinationId) => [tenantId, destinationId]),
  );
  return { done, refused: [...refused, ...unknown], deferred: missing.filter((id) => existing.has(id)) };
}
