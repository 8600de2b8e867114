import type { Actor } from '#src/infra/deps.ts';
import { ConflictError } from '#src/infra/errors.ts';
import { isUniqueViolation } from '#src/infra/postgres/sql-errors.ts';
import { awaitAll, type Tx } from '#src/infra/postgres/tx.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { newEventId, publishEvent } from '#src/journal/outbox/outbox.ts';
import { notifyOrders } from './live-orders.service.ts';
import { auditedOrder, orderData, type OrderTopic } from './orders.declarations.ts';
import type { OrderRow } from './orders.reads.ts';
import { insertChange, type OrderColumns, updateOrder } from './orders.store.ts';

interface Change {
  action: (typeof auditedOrder.actions)[number];
  set: OrderColumns;
  details?: Record<string, string>;
  /** The id of the event that reports the change; absent if no event reports it. */
  topic?: OrderTopic | undefined;
}

/**
 * Changes a locked order, with its history, audit entry and event, and returns the changed order. Each change has a later time than the
 * one before it, and so has its event.
 */
export async function changeOrder(
  tx: Tx,
  actor: Actor,
  order: OrderRow,
  { action, set, details = {}, topic }: Change,
): Promise<OrderRow> {
  const { tenantId } = actor;
  const eventId = topic ? newEventId() : null;
  const changed = await updateOrder(tx, tenantId, order.id, set);
  await awaitAll([
    insertChange(tx, actor, order.id, { action, details, eventId }),
    recordAudit(tx, actor, {
      resource: auditedOrder,
      action,
      resourceId: order.id,
      metadata: { number: order.number, ...details },
    }),
    ...(topic && eventId
      ? [
          publishEvent(tx, {
            tenantId,
            topic,
            id: eventId,
            cause: actor,
            data: orderData(changed),
            at: changed.updatedAt,
          }),
        ]
      : []),
  ]);
  notifyOrders(tx, tenantId, [order.id]);
  return changed;
}

/**
 * Turns a unique violation into a ConflictError: two orders are not serialised by each other's locks, so another may have just used the
 * reference.
 */
export async function refusingTakenReference<Made>(work: Promise<Made>, what: string): Promise<Made> {
  try {
    return await work;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new ConflictError(`The reference has been used for a ${what} of another order.`);
  }
}
