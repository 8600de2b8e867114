import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  fulfillmentKinds,
  type fulfillmentStatuses,
  orderActions,
  type orderStatuses,
  paymentKinds,
  paymentStatuses,
} from '#src/commerce/orders/orders.inputs.ts';
import {
  type Delivered,
  fulfillmentStatusAfter,
  fulfillmentStatusOf,
  fulfillmentTransitions,
  paymentStatusAfter,
  paymentTransitions,
  statusTransitions,
} from '#src/commerce/orders/orders.rules.ts';
import { minorDigits, totalsOf } from '#src/commerce/orders/totals.rules.ts';

describe('the status of an order', () => {
  test('ends in completed or cancelled, whatever actions come in whatever order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...orderActions)), (actions) => {
        let status: (typeof orderStatuses)[number] = 'pending';
        for (const action of actions) {
          const next: (typeof orderStatuses)[number] | undefined = statusTransitions[action][status];
          // The same action again changes nothing.
          if (next) expect(statusTransitions[action][next]).toBe(next);
          if (status === 'completed' || status === 'cancelled') expect(next ?? status).toBe(status);
          status = next ?? status;
        }
      }),
    );
  });
});

describe('the payment status', () => {
  const payment = fc.record({ kind: fc.constantFrom(...paymentKinds), amount: fc.integer({ min: 1, max: 150 }) });

  test('follows the table and says what the sums say, whatever payments come', () => {
    fc.assert(
      fc.property(fc.array(payment), (payments) => {
        let status: (typeof paymentStatuses)[number] = 'unpaid';
        let [captured, refunded] = [0, 0];
        for (const { kind, amount } of payments) {
          const after = {
            captured: captured + (kind === 'captured' ? amount : 0),
            refunded: refunded + (kind === 'refunded' ? amount : 0),
          };
          const next = paymentStatusAfter(status, kind, {
            gross: '100.00',
            captured: String(after.captured),
            refunded: String(after.refunded),
          });
          if (next === null) continue;
          expect(paymentTransitions[kind][status]).toContain(next);
          [status, captured, refunded] = [next, after.captured, after.refunded];
          if (status === 'paid') expect(captured).toBeGreaterThanOrEqual(100);
          if (status === 'partially_paid') expect(captured).toBeLessThan(100);
          if (status === 'unpaid' || status === 'voided' || status === 'authorized') expect(captured).toBe(0);
          if (status === 'partially_refunded') expect(refunded).toBeLessThan(captured);
        }
      }),
    );
  });

  test.each(paymentStatuses)('%s is reached by the tables', (status) => {
    const reached = Object.values(paymentTransitions).flatMap((from) => Object.values(from).flat());
    expect(['unpaid', ...reached]).toContain(status);
  });
});

describe('the fulfillment status', () => {
  const move = fc.record({
    kind: fc.constantFrom(...fulfillmentKinds),
    position: fc.integer({ min: 0, max: 2 }),
    quantity: fc.integer({ min: 1, max: 4 }),
  });

  test('follows the table for every shipment of what is left and every return of what was shipped', () => {
    fc.assert(
      fc.property(fc.array(move), (moves) => {
        const positions = [3, 1, 4].map((quantity) => ({ quantity, shipped: 0, returned: 0 }));
        const asText = (): Delivered[] =>
          positions.map(({ quantity, shipped, returned }) => ({
            quantity: String(quantity),
            shipped: String(shipped),
            returned: String(returned),
          }));
        let status: (typeof fulfillmentStatuses)[number] = 'unfulfilled';
        for (const { kind, position: index, quantity } of moves) {
          const position = positions[index] as (typeof positions)[number];
          const left =
            kind === 'shipment' ? position.quantity - position.shipped : position.shipped - position.returned;
          if (quantity > left) continue;
          position[kind === 'shipment' ? 'shipped' : 'returned'] += quantity;
          const next = fulfillmentStatusAfter(status, kind, asText());
          expect(next).toBe(fulfillmentStatusOf(asText()));
          expect(fulfillmentTransitions[kind][status]).toContain(next);
          status = next ?? status;
        }
      }),
    );
  });
});

describe('the amounts of an order', () => {
  test.for([
    ['line', [['3', '0.335', '19']], '1.01', '0.19', '1.20'],
    [
      'line',
      [
        ['1', '0.05', '10'],
        ['1', '0.05', '10'],
      ],
      '0.10',
      '0.02',
      '0.12',
    ],
    [
      'total',
      [
        ['1', '0.05', '10'],
        ['1', '0.05', '10'],
      ],
      '0.10',
      '0.01',
      '0.11',
    ],
    ['line', [['2', '10.00', '0']], '20.00', '0.00', '20.00'],
    [
      'line',
      [['999999999999999999.999999', '999999999999999999.9999', '19']],
      '999999999999999999999899000000000000.00',
      '189999999999999999999980810000000000.00',
      '1189999999999999999999879810000000000.00',
    ],
  ] as const)('are rounded half up by %s: %o', ([rounding, lines, net, tax, gross]) => {
    const given = lines.map(([quantity, unitPrice, taxRate]) => ({ quantity, unitPrice, taxRate }));
    expect(totalsOf(given, 'EUR', rounding)).toMatchObject({ net, tax, gross });
  });

  test('have the digits of the currency', () => {
    const line = { quantity: '3', unitPrice: '33.3335', taxRate: '10' };
    expect(totalsOf([line], 'JPY', 'line')).toMatchObject({ net: '100', tax: '10', gross: '110' });
    expect(totalsOf([line], 'KWD', 'line')).toMatchObject({ net: '100.001', tax: '10.000', gross: '110.001' });
    // ISO 4217's code for "no currency".
    expect(minorDigits('XXX')).toBe(2);
  });
});
