import { randomUUID } from 'node:crypto';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { ConflictError, NotFoundError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import {
  batchSize,
  countRecoverable,
  insertSingle,
  queueOnce,
  type Recovery,
  recoverBatch,
  wakeQueue,
} from './deliveries.store.ts';
import { notifyDeliveries } from './delivery-changes.service.ts';
import { recoverInput } from './destinations.inputs.ts';
import { lockDestination } from './destinations.service.ts';
import { notifyQueues } from './queue-notices.service.ts';
import { auditedDelivery, auditedDestination } from './webhooks.declarations.ts';

/** Sends a delivery once more, whatever its status: the same id and bytes, with a new signature. Returns its id. */
export async function resendDelivery({ database }: Deps, actor: Actor, id: bigint): Promise<bigint> {
  const { tenantId } = actor;
  return database.withTenant(tenantId, async (tx) => {
    const found = await tx.webhookDelivery.findUnique({
      where: { tenantId_id: { tenantId, id } },
      select: { destinationId: true },
    });
    if (!found) throw new NotFoundError();
    const destination = await lockDestination(tx, tenantId, found.destinationId).catch((error: unknown) => {
      if (error instanceof NotFoundError) throw new ConflictError(destinationDeleted);
      throw error;
    });
    if (destination.status === 'disabled') throw isDisabled();
    const [queued] = await queueOnce(tx, tenantId, [id]);
    if (!queued) throw new NotFoundError();
    await wakeQueue(tx, tenantId, found.destinationId);
    await recordAudit(tx, actor, { resource: auditedDelivery, action: 'resend', resourceId: id });
    notifyDeliveries(tx, tenantId, [queued]);
    notifyQueues(tx, [[tenantId, queued.destinationId]]);
    return id;
  });
}

export const destinationDeleted = 'Its destination has been deleted.';
export const isDisabled = (): ConflictError => new ConflictError('The destination is disabled; enable it first.');

/** The maximum of one recovery; call it again for the rest. */
const maxBatches = 200;

/**
 * Queues every delivery to a destination that failed or was held since a time, and returns how many; with `dryRun`, it only counts
 * them. It commits in batches, so that the first are sent while the last are queued.
 */
export async function recoverDestination(
  { database }: Deps,
  actor: Actor,
  destinationId: bigint,
  given: unknown,
): Promise<number> {
  const { since, topics = null, dryRun } = parseInput(recoverInput, given);
  const { tenantId } = actor;
  const recovery: Recovery = { destinationId, since, topics: topics?.includes('*') ? null : topics };
  if (dryRun === true) {
    return database.withTenant(tenantId, async (tx) => {
      await lockDestination(tx, tenantId, destinationId);
      return countRecoverable(tx, tenantId, recovery);
    });
  }
  let queued = 0;
  let last = 0;
  for (let batch = 0; batch < maxBatches; batch += 1) {
    const changes = await database.withTenant(tenantId, async (tx) => {
      const { status } = await lockDestination(tx, tenantId, destinationId);
      if (status === 'disabled') throw isDisabled();
      const recovered = await recoverBatch(tx, tenantId, recovery, last);
      if (batch === 0) {
        const metadata = { since: since.toISOString(), ...(topics && { topics }) };
        await recordAudit(tx, actor, {
          resource: auditedDestination,
          action: 'recover',
          resourceId: destinationId,
          metadata,
        });
      }
      if (recovered.length === 0) return recovered;
      await wakeQueue(tx, tenantId, destinationId);
      notifyDeliveries(tx, tenantId, recovered);
      notifyQueues(tx, [[tenantId, Number(destinationId)]]);
      return recovered;
    });
    queued += changes.length;
    last = changes.reduce((most, { id }) => Math.max(most, id), last);
    if (changes.length < batchSize) break;
  }
  return queued;
}

/** Sends a test event to one destination, whatever its topics and filter. Returns the delivery's id. */
export async function pingDestination({ database }: Deps, actor: Actor, destinationId: bigint): Promise<number> {
  const { tenantId } = actor;
  return database.withTenant(tenantId, async (tx) => {
    const { name, status } = await lockDestination(tx, tenantId, destinationId);
    const eventId = randomUUID();
    const topic = 'webhook.ping';
    const envelope = {
      id: eventId,
      topic,
      time: new Date().toISOString(),
      tenant_id: tenantId,
      data: { destination_id: Number(destinationId), name },
      metadata: { source: 'ping' },
    };
    const body = JSON.stringify(envelope);
    const isHeld = status === 'disabled';
    const made = await insertSingle(tx, tenantId, { destinationId, eventId, topic, body, isHeld });
    await wakeQueue(tx, tenantId, destinationId);
    await recordAudit(tx, actor, { resource: auditedDestination, action: 'ping', resourceId: destinationId });
    notifyDeliveries(tx, tenantId, [made]);
    notifyQueues(tx, [[tenantId, Number(destinationId)]]);
    return made.id;
  });
}
