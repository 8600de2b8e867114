import { recordOrderSums } from '#src/commerce/metrics/metrics.service.ts';
import { bookMovements } from '#src/commerce/stock/stock.service.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { ConflictError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { changeOrder } from './order-change.service.ts';
import { orderAcknowledged, orderCancelled, orderCompleted, orderCreated } from './orders.declarations.ts';
import { acknowledgeOrderInput, cancelOrderInput, type OrderAction } from './orders.inputs.ts';
import { lockOrder, type OrderRow } from './orders.reads.ts';
import { statusTransitions, reservationReference } from './orders.rules.ts';
import { clearReservations } from './orders.store.ts';

/** Confirms that the ERP booked the order. A repeat changes nothing; ConflictError for a number other than the first. */
export async function acknowledgeOrder(deps: Deps, actor: Actor, id: bigint, given: unknown): Promise<OrderRow> {
  const { erpNumber = null } = parseInput(acknowledgeOrderInput, given);
  return onOrder(deps, actor, id, 'acknowledge', async (tx, order) => {
    if (erpNumber !== null && order.erpNumber !== null && order.erpNumber !== erpNumber) {
      throw new ConflictError(`The order is ${order.erpNumber} in the ERP; it cannot be ${erpNumber} as well.`);
    }
    const isNamed = erpNumber !== null && order.erpNumber === null;
    if (order.status === 'acknowledged' && !isNamed) return order;
    return changeOrder(tx, actor, order, {
      action: 'acknowledge',
      set: { status: 'acknowledged', ...(isNamed && { erp_number: erpNumber }) },
      details: isNamed ? { erp_number: erpNumber } : {},
      topic: order.status === 'pending' ? orderAcknowledged : undefined,
    });
  });
}

/** Cancels an order without shipments, and releases its stock. A repeat changes nothing. */
export async function cancelOrder(deps: Deps, actor: Actor, id: bigint, given: unknown): Promise<OrderRow> {
  const { reason = null } = parseInput(cancelOrderInput, given);
  return onOrder(deps, actor, id, 'cancel', async (tx, order) => {
    if (order.status === 'cancelled') return order;
    if (order.fulfillmentStatus !== 'unfulfilled') {
      throw new ConflictError('Something of the order was shipped, so it cannot be cancelled. Record a return.');
    }
    await useUpReservations(tx, actor, order, 'release');
    const cancelled = await changeOrder(tx, actor, order, {
      action: 'cancel',
      set: { status: 'cancelled' },
      details: reason === null ? {} : { reason },
      topic: orderCancelled,
    });
    await recordOrderSums(tx, actor.tenantId, {
      organizationId: order.organizationId,
      currency: order.currency,
      placedAt: new Date(order.placedAt),
      net: order.net,
      sign: -1,
    });
    return cancelled;
  });
}

/** Completes an order, acknowledging it first if necessary, and issues its remaining reservations. A repeat changes nothing. */
export async function completeOrder(deps: Deps, actor: Actor, id: bigint): Promise<OrderRow> {
  return onOrder(deps, actor, id, 'complete', async (tx, order) => {
    if (order.status === 'completed') return order;
    const acknowledged =
      order.status === 'acknowledged'
        ? order
        : await changeOrder(tx, actor, order, {
            action: 'acknowledge',
            set: { status: 'acknowledged' },
            topic: orderAcknowledged,
          });
    await useUpReservations(tx, actor, order, 'issue');
    return changeOrder(tx, actor, acknowledged, {
      action: 'complete',
      set: { status: 'completed' },
      topic: orderCompleted,
    });
  });
}

/** Ends the hold of an order, so that the ERP is notified of it. A repeat changes nothing. */
export async function releaseOrder({ database }: Deps, actor: Actor, id: bigint): Promise<OrderRow> {
  return database.withTenantSql(actor.tenantId, async (tx) => {
    const order = await lockOrder(tx, actor.tenantId, id);
    if (!order) throw new NotFoundError();
    if (order.holdReason === null) return order;
    if (order.status !== 'pending') throw new ConflictError(`The order is ${order.status}.`);
    return changeOrder(tx, actor, order, {
      action: 'release',
      set: { hold_reason: null },
      details: { hold_reason: order.holdReason },
      topic: orderCreated,
    });
  });
}

/**
 * Runs an action on the locked order. The ERP owns the status once it has been notified of the order. It has not been notified of a held
 * one, so the shop may cancel that.
 */
async function onOrder(
  { database }: Deps,
  actor: Actor,
  id: bigint,
  action: OrderAction,
  work: (tx: Tx, order: OrderRow) => Promise<OrderRow>,
): Promise<OrderRow> {
  return database.withTenantSql(actor.tenantId, async (tx) => {
    const order = await lockOrder(tx, actor.tenantId, id);
    if (!order) throw new NotFoundError();
    if (order.holdReason !== null && action !== 'cancel') {
      throw new ConflictError('The order is held; release it first.');
    }
    // A user acts for the shop; a caller without a user (a key, a workflow) acts for the ERP.
    if (order.holdReason === null && actor.userId !== null) {
      throw new ValidationError({ status: ['The ERP owns the status of this order: change it with an API key.'] });
    }
    if (!statusTransitions[action][order.status]) {
      throw new ConflictError(`The order is ${order.status}; ${action} is not possible any more.`);
    }
    return work(tx, order);
  });
}

/** Releases or issues everything that the order still reserves. */
async function useUpReservations(tx: Tx, actor: Actor, order: OrderRow, kind: 'release' | 'issue'): Promise<void> {
  const held = order.positions.filter(({ reserved }) => Number(reserved) > 0);
  if (held.length === 0) return;
  await bookMovements(
    tx,
    actor,
    held.map(({ id, sku, location, reserved }) => ({
      sku,
      location,
      kind,
      quantity: reserved,
      reservation: reservationReference(id),
      reference: `${reservationReference(id)}:${kind}`,
    })),
  );
  await clearReservations(tx, actor.tenantId, order.id);
}
