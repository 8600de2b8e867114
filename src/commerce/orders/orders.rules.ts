import { type Exact, exact, sum } from '#src/infra/exact.ts';
import type {
  FulfillmentKind,
  FulfillmentStatus,
  OrderAction,
  OrderStatus,
  PaymentKind,
  PaymentStatus,
} from './orders.inputs.ts';

/** The status that each action leads to from each status; the same status means a repeat. Any other transition is refused. */
export const statusTransitions: Record<OrderAction, Partial<Record<OrderStatus, OrderStatus>>> = {
  acknowledge: { pending: 'acknowledged', acknowledged: 'acknowledged' },
  cancel: { pending: 'cancelled', acknowledged: 'cancelled', cancelled: 'cancelled' },
  complete: { pending: 'completed', acknowledged: 'completed', completed: 'completed' },
};

/** The statuses that each kind of payment may lead to from each status; the sums decide between several. */
export const paymentTransitions: Record<PaymentKind, Partial<Record<PaymentStatus, readonly PaymentStatus[]>>> = {
  authorized: {
    unpaid: ['authorized'],
    authorized: ['authorized'],
    // The buyer tries another card.
    voided: ['authorized'],
    partially_paid: ['partially_paid'],
    partially_refunded: ['partially_refunded'],
    refunded: ['refunded'],
  },
  captured: {
    unpaid: ['partially_paid', 'paid'],
    authorized: ['partially_paid', 'paid'],
    partially_paid: ['partially_paid', 'paid'],
    // Another shipment is captured after an earlier one was refunded.
    partially_refunded: ['partially_refunded'],
    refunded: ['partially_refunded'],
  },
  refunded: {
    partially_paid: ['partially_refunded', 'refunded'],
    paid: ['partially_refunded', 'refunded'],
    partially_refunded: ['partially_refunded', 'refunded'],
  },
  voided: { unpaid: ['voided'], authorized: ['voided'] },
};

/** The same for shipments and returns. Shipping again after a return leaves the order partially returned. */
export const fulfillmentTransitions: Record<
  FulfillmentKind,
  Partial<Record<FulfillmentStatus, readonly FulfillmentStatus[]>>
> = {
  shipment: {
    unfulfilled: ['partially_fulfilled', 'fulfilled'],
    partially_fulfilled: ['partially_fulfilled', 'fulfilled'],
    partially_returned: ['partially_returned'],
    returned: ['partially_returned'],
  },
  return: {
    partially_fulfilled: ['partially_returned', 'returned'],
    fulfilled: ['partially_returned', 'returned'],
    partially_returned: ['partially_returned', 'returned'],
  },
};

export interface PaymentSums {
  gross: string;
  captured: string;
  refunded: string;
}

/** The status after a payment that `sums` includes; null if it is refused. */
export function paymentStatusAfter(from: PaymentStatus, kind: PaymentKind, sums: PaymentSums): PaymentStatus | null {
  const allowed = paymentTransitions[kind][from];
  if (!allowed) return null;
  const to = nextPaymentStatus(from, kind, sums);
  return allowed.includes(to) ? to : null;
}

function nextPaymentStatus(
  from: PaymentStatus,
  kind: PaymentKind,
  { gross, captured, refunded }: PaymentSums,
): PaymentStatus {
  if (kind === 'refunded' || (kind === 'captured' && exact(refunded).gt(0))) {
    return exact(refunded).lt(captured) ? 'partially_refunded' : 'refunded';
  }
  if (kind === 'captured') return exact(captured).lt(gross) ? 'partially_paid' : 'paid';
  const staysAs: readonly PaymentStatus[] = ['partially_paid', 'partially_refunded', 'refunded'];
  return kind === 'authorized' && staysAs.includes(from) ? from : kind;
}

/** The quantities of a position that were ordered, shipped and returned. */
export interface Delivered {
  quantity: string;
  shipped: string;
  returned: string;
}

/** The status after a shipment or return that `positions` include; null if it is refused. */
export function fulfillmentStatusAfter(
  from: FulfillmentStatus,
  kind: FulfillmentKind,
  positions: readonly Delivered[],
): FulfillmentStatus | null {
  const to = computeFulfillmentStatus(positions);
  return fulfillmentTransitions[kind][from]?.includes(to) ? to : null;
}

export function computeFulfillmentStatus(positions: readonly Delivered[]): FulfillmentStatus {
  const total = (part: keyof Delivered): Exact => sum(positions.map((position) => position[part]));
  const shipped = total('shipped');
  if (total('returned').gt(0)) return total('returned').lt(shipped) ? 'partially_returned' : 'returned';
  if (shipped.isZero()) return 'unfulfilled';
  return shipped.lt(total('quantity')) ? 'partially_fulfilled' : 'fulfilled';
}

/** The reference of the movement that reserves the stock of a position. */
export const reservationReference = (positionId: number): string => `order-position:${positionId}`;
