import type { NewMovement } from '#src/commerce/stock/stock.inputs.ts';
import { bookMovements } from '#src/commerce/stock/stock.service.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { ConflictError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { exact } from '#src/infra/exact.ts';
import { parseInput, readId } from '#src/infra/inputs.ts';
import {
  type Fulfillment,
  findFulfillment,
  insertFulfillment,
  type Moved,
  movePositions,
} from './fulfillments.store.ts';
import { changeOrder, refusingTakenReference } from './order-change.service.ts';
import { type FulfillmentKind, createShipmentInput } from './orders.inputs.ts';
import { lockOrder, type OrderRow, type PositionRow } from './orders.reads.ts';
import { fulfillmentStatusAfter, reservationReference } from './orders.rules.ts';

interface NewFulfillment {
  orderId: bigint;
  reference: string;
  positions?: readonly { positionId: string; quantity: string }[] | null | undefined;
}

/**
 * Records goods that were shipped for an order, from its reservations, or returned; without positions, all that remain. Repeating a
 * reference returns the first record. ConflictError for more than remains.
 */
export async function createFulfillment(
  { database }: Deps,
  actor: Actor,
  kind: FulfillmentKind,
  { orderId, ...given }: NewFulfillment,
): Promise<Fulfillment> {
  const { reference, positions } = parseInput(createShipmentInput, given);
  const { tenantId } = actor;
  const created = database.withTenantSql(tenantId, async (tx) => {
    const order = await lockOrder(tx, tenantId, orderId);
    if (!order) throw new NotFoundError();
    const first = await findFulfillment(tx, tenantId, kind, reference);
    if (first) {
      if (first.orderId === order.id) return first;
      throw new ConflictError(`The reference has been used for a ${kind} of another order.`);
    }
    if (kind === 'shipment' && (order.status === 'cancelled' || order.holdReason !== null)) {
      throw new ConflictError(
        order.holdReason === null ? 'The order is cancelled.' : 'The order is held; release it first.',
      );
    }
    const wanted = positions?.map(({ positionId, quantity }, index) => ({
      position: findPosition(order, readId('OrderPosition', positionId), index),
      quantity,
    }));
    const moved = movedBy(order, kind, wanted ?? null);
    const after = order.positions.map((position) => movedPosition(position, kind, moved));
    const status = fulfillmentStatusAfter(order.fulfillmentStatus, kind, after);
    if (status === null) throw new ConflictError(`The order is ${order.fulfillmentStatus}; a ${kind} is not possible.`);
    const made = await insertFulfillment(tx, tenantId, { orderId: order.id, kind, reference }, moved);
    await movePositions(tx, tenantId, kind, moved);
    const movements = moved.flatMap((each) => planMovements(order, kind, made.id, each));
    if (movements.length > 0) await bookMovements(tx, actor, movements);
    await changeOrder(tx, actor, order, {
      action: kind === 'shipment' ? 'ship' : 'return',
      set: { fulfillment_status: status },
      details: { reference },
    });
    return made;
  });
  return refusingTakenReference(created, kind);
}

function findPosition(order: OrderRow, id: bigint, index: number): PositionRow {
  const position = order.positions.find((each) => each.id === Number(id));
  if (!position) throw new ValidationError({ [`positions.${index}.positionId`]: ['The order has no such position.'] });
  return position;
}

/** How much of each position moves, and how much of that is reserved. */
function movedBy(
  order: OrderRow,
  kind: FulfillmentKind,
  wanted: { position: PositionRow; quantity: string }[] | null,
): Moved[] {
  const remainingQuantity = ({ quantity, shipped, returned }: PositionRow) =>
    kind === 'shipment' ? exact(quantity).minus(shipped) : exact(shipped).minus(returned);
  const asked = new Map(
    order.positions.map((position) => [position, wanted === null ? remainingQuantity(position) : exact(0)]),
  );
  for (const { position, quantity } of wanted ?? []) {
    asked.set(position, (asked.get(position) ?? exact(0)).plus(quantity));
  }
  const moved = [...asked].flatMap(([position, quantity]) => {
    if (quantity.isZero()) return [];
    if (quantity.gt(remainingQuantity(position))) {
      throw new ConflictError(`Of ${position.sku}, ${remainingQuantity(position).toFixed()} is left for a ${kind}.`);
    }
    const reserved = quantity.lt(position.reserved) ? quantity : exact(position.reserved);
    return [{ positionId: position.id, quantity: quantity.toFixed(), reserved: reserved.toFixed() }];
  });
  if (moved.length === 0) throw new ConflictError(`Nothing of the order is left for a ${kind}.`);
  return moved;
}

function movedPosition(position: PositionRow, kind: FulfillmentKind, moved: readonly Moved[]): PositionRow {
  const quantity = moved.find(({ positionId }) => positionId === position.id)?.quantity ?? '0';
  const part = kind === 'shipment' ? 'shipped' : 'returned';
  return { ...position, [part]: exact(position[part]).plus(quantity).toFixed() };
}

/** A shipment issues reserved stock; stock that the completion of the order has issued already does not move again. */
function planMovements(order: OrderRow, kind: FulfillmentKind, id: number, moved: Moved): NewMovement[] {
  const { sku, location } = order.positions.find((each) => each.id === moved.positionId) as PositionRow;
  const reference = `${kind}:${id}:${moved.positionId}`;
  if (kind === 'return') return [{ sku, location, kind, quantity: moved.quantity, reference }];
  if (exact(moved.reserved).isZero()) return [];
  const reservation = reservationReference(moved.positionId);
  return [{ sku, location, kind: 'issue', quantity: moved.reserved, reference, reservation }];
}
