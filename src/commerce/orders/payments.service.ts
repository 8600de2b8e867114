import { minorDigits } from '#src/commerce/order-amounts/totals.rules.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { ConflictError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { exact } from '#src/infra/exact.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { changeOrder, refusingTakenReference } from './order-change.service.ts';
import { recordPaymentInput } from './orders.inputs.ts';
import { lockOrder } from './orders.reads.ts';
import { paymentStatusAfter } from './orders.rules.ts';
import { findPayment, insertPayment, type PaymentRow, paymentSums } from './payments.store.ts';

/** Records a payment or a refund of an order. Repeating a reference returns the first. */
export async function recordPayment(
  { database }: Deps,
  actor: Actor,
  { orderId, ...given }: { orderId: bigint },
): Promise<PaymentRow> {
  const payment = parseInput(recordPaymentInput, given);
  const { tenantId } = actor;
  const recorded = database.withTenantSql(tenantId, async (tx) => {
    const order = await lockOrder(tx, tenantId, orderId);
    if (!order) throw new NotFoundError();
    const first = await findPayment(tx, tenantId, payment.reference);
    if (first) {
      const same = {
        order: first.orderId === order.id,
        kind: first.kind === payment.kind,
        amount: exact(first.amount).eq(payment.amount),
      };
      const other = Object.entries(same).find(([, isSame]) => !isSame);
      if (!other) return first;
      throw new ConflictError(`The reference has been used for a payment with another ${other[0]}.`);
    }
    assertInMinorUnits(payment.amount, order.currency);
    const made = await insertPayment(tx, tenantId, order.id, payment);
    const { captured, refunded } = await paymentSums(tx, tenantId, order.id);
    if (payment.kind === 'captured' && exact(captured).gt(order.gross)) {
      const rest = exact(order.gross).minus(exact(captured).minus(payment.amount));
      // An earlier version allowed captures above the amount of the order.
      const left = rest.isNegative() ? exact(0) : rest;
      throw new ConflictError(`The order comes to ${order.gross}; only ${left.toFixed()} is left to capture.`);
    }
    if (exact(refunded).gt(captured)) throw new ConflictError(`Only ${captured} was captured; less is left to refund.`);
    const status = paymentStatusAfter(order.paymentStatus, payment.kind, { gross: order.gross, captured, refunded });
    if (status === null) {
      throw new ConflictError(`The payment status is ${order.paymentStatus}; it cannot be ${payment.kind} from there.`);
    }
    await changeOrder(tx, actor, order, {
      action: 'record_payment',
      set: { payment_status: status },
      details: { kind: payment.kind, amount: payment.amount, reference: payment.reference },
    });
    return made;
  });
  return refusingTakenReference(recorded, 'payment');
}

/** Refuses fractions of a minor unit. */
function assertInMinorUnits(amount: string, currency: string): void {
  const digits = minorDigits(currency);
  if (exact(amount).decimalPlaces() <= digits) return;
  const wanted = digits === 0 ? 'no digits' : `at most ${digits} digits`;
  throw new ValidationError({ amount: [`${currency} has ${wanted} after the point.`] });
}
