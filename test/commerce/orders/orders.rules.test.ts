import { Decimal as Plain } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeTaxes } from '#src/commerce/order-amounts/taxes.rules.ts';
import {
  type Line,
  minorDigits,
  type TaxRounding,
  computeTotals,
  type Totals,
} from '#src/commerce/order-amounts/totals.rules.ts';
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
  computeFulfillmentStatus,
  fulfillmentTransitions,
  paymentStatusAfter,
  paymentTransitions,
  statusTransitions,
} from '#src/commerce/orders/orders.rules.ts';

type Amounts = Totals['lines'][number];

/** The 20 digits that decimal.js keeps by itself are too few for sums. */
const Decimal = Plain.clone({ precision: 60 });

describe('the status of an order', () => {
  test('ends in completed or cancelled, for any actions in any order', () => {
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

  test('follows the table and agrees with the sums, for any payments', () => {
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

  test.each(paymentStatuses)('%s can be reached by the tables', (status) => {
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

  test('follows the table for every shipment of the rest and every return of shipped goods', () => {
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
          expect(next).toBe(computeFulfillmentStatus(asText()));
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
    const given = lines.map(([quantity, unitPrice, taxRate]) => ({ quantity, unitPrice, taxIncluded: false, taxRate }));
    expect(computeTotals(given, 'EUR', rounding)).toMatchObject({ net, tax, gross });
  });

  const amount = (whole: number, digits: number) =>
    fc
      .tuple(fc.bigInt({ min: 0n, max: 10n ** BigInt(whole + digits) - 1n }), fc.integer({ min: 0, max: digits }))
      .map(([units, scale]) => new Decimal(units.toString()).dividedBy(new Decimal(10).pow(scale)).toFixed());
  const rates = fc.oneof(fc.constantFrom('0', '7', '19', '19.00', '5.5', '20'), amount(2, 4));
  const arbitraryLine = (taxIncluded: fc.Arbitrary<boolean>) =>
    fc.record({ quantity: amount(6, 6), unitPrice: amount(6, 4), taxIncluded, taxRate: rates });
  const arbitraryLines = (taxIncluded: fc.Arbitrary<boolean>) =>
    fc.array(arbitraryLine(taxIncluded), { minLength: 1, maxLength: 20 });
  const roundings = fc.constantFrom<TaxRounding[]>('line', 'rate', 'total');
  const currencies = fc.constantFrom('EUR', 'JPY', 'KWD');

  test('add up exactly for any lines without tax: net, tax and gross are the sums of the lines', () => {
    fc.assert(
      fc.property(
        arbitraryLines(fc.constant(false)),
        currencies,
        fc.constantFrom('line' as const, 'total' as const),
        (lines, currency, rounding) => {
          const unit = new Decimal(10).pow(-minorDigits(currency));
          const inUnits = (value: Plain) => value.dividedBy(unit).toDecimalPlaces(0, Decimal.ROUND_HALF_UP).times(unit);
          const totals = computeTotals(lines, currency, rounding);
          let [net, tax] = [new Decimal(0), new Decimal(0)];
          for (const [index, { quantity, unitPrice, taxRate }] of lines.entries()) {
            const lineTotal = inUnits(new Decimal(quantity).times(unitPrice));
            const lineTax = lineTotal.times(taxRate).dividedBy(100);
            expect(totals.lines[index]?.lineTotal).toBe(lineTotal.toFixed(minorDigits(currency)));
            net = net.plus(lineTotal);
            tax = tax.plus(rounding === 'line' ? inUnits(lineTax) : lineTax);
          }
          expect(totals.net).toBe(net.toFixed(minorDigits(currency)));
          expect(totals.tax).toBe(inUnits(tax).toFixed(minorDigits(currency)));
          expect(totals.gross).toBe(net.plus(inUnits(tax)).toFixed(minorDigits(currency)));
          // By line, the sum of the lines' tax is the order's tax, to the last digit.
          const ofLines = totals.lines.reduce((sum, each) => sum.plus(each.tax), new Decimal(0));
          expect(inUnits(ofLines).toFixed()).toBe(new Decimal(totals.tax).toFixed());
          if (rounding === 'line') expect(ofLines.toFixed()).toBe(new Decimal(totals.tax).toFixed());
        },
      ),
    );
  });

  test('equal the prices if these include the tax, however it is rounded', () => {
    fc.assert(
      fc.property(arbitraryLines(fc.constant(true)), currencies, roundings, (lines, currency, rounding) => {
        const places = minorDigits(currency);
        const totals = computeTotals(lines, currency, rounding);
        const charged = lines.map(({ quantity, unitPrice }) =>
          new Decimal(quantity).times(unitPrice).toDecimalPlaces(places, Decimal.ROUND_HALF_UP),
        );
        expect(totals.gross).toBe(Decimal.sum(0, ...charged).toFixed(places));
        expect(new Decimal(totals.net).plus(totals.tax).toFixed(places)).toBe(totals.gross);
        for (const [index, { taxRate }] of lines.entries()) {
          const { lineTotal, tax } = totals.lines[index] as Amounts;
          const gross = charged[index] as Plain;
          expect(new Decimal(lineTotal).plus(tax).toFixed(places)).toBe(gross.toFixed(places));
          expect(new Decimal(tax).decimalPlaces()).toBeLessThanOrEqual(places);
          const off = gross.times(taxRate).dividedBy(new Decimal(taxRate).plus(100)).minus(tax).abs();
          expect(off.lt(new Decimal(10).pow(-places))).toBe(true);
          if (rounding === 'line') expect(off.lte(new Decimal(10).pow(-places).dividedBy(2))).toBe(true);
        }
      }),
    );
  });

  test('by rate have the tax of EN 16931, or that of the prices if they include it', () => {
    fc.assert(
      fc.property(
        fc.boolean().chain((taxIncluded) => arbitraryLines(fc.constant(taxIncluded))),
        currencies,
        (lines, currency) => {
          const places = minorDigits(currency);
          const { taxes } = taxesOfLines(lines, currency, 'rate');
          const percent = (rate: string) => (lines[0]?.taxIncluded ? new Decimal(rate).plus(100) : 100);
          for (const { rate, net, tax, gross } of taxes) {
            const taxed = new Decimal(lines[0]?.taxIncluded ? gross : net);
            expect(tax).toBe(taxed.times(rate).dividedBy(percent(rate)).toFixed(places, Decimal.ROUND_HALF_UP));
          }
        },
      ),
    );
  });

  const taxesOfLines = (lines: readonly Line[], currency: string, rounding: TaxRounding) => {
    const totals = computeTotals(lines, currency, rounding);
    const positions = lines.map(({ taxRate }, index) => ({ taxRate, ...(totals.lines[index] as Amounts) }));
    return { totals, taxes: computeTaxes({ ...totals, currency, positions }) };
  };

  test('are the sums of those of each tax rate, for any lines, and no rate is off by a minor unit', () => {
    fc.assert(
      fc.property(arbitraryLines(fc.boolean()), currencies, roundings, (lines, currency, rounding) => {
        const { totals, taxes } = taxesOfLines(lines, currency, rounding);
        const places = minorDigits(currency);
        const summed = (values: string[]) => Decimal.sum(0, ...values).toFixed(places);
        expect(summed(taxes.map(({ net }) => net))).toBe(totals.net);
        expect(summed(taxes.map(({ tax }) => tax))).toBe(totals.tax);
        expect(summed(taxes.map(({ gross }) => gross))).toBe(totals.gross);
        const order = taxes.map(({ rate }) => Number(rate));
        expect(order).toEqual([...new Set(lines.map(({ taxRate }) => Number(taxRate)))].toSorted((a, b) => a - b));
        for (const { rate, net, tax, gross } of taxes) {
          const ofRate = lines.flatMap(({ taxRate }, index) =>
            new Decimal(taxRate).eq(rate) ? [totals.lines[index] as Amounts] : [],
          );
          expect(net).toBe(summed(ofRate.map(({ lineTotal }) => lineTotal)));
          const off = Decimal.sum(0, ...ofRate.map((each) => each.tax)).minus(tax);
          if (rounding === 'line') expect(off.toFixed()).toBe('0');
          expect(off.abs().lt(new Decimal(10).pow(-places))).toBe(true);
          expect(gross).toBe(summed([net, tax]));
        }
      }),
    );
  });

  const threeWithTax = [
    ['0.99', '19', 'with tax'],
    ['0.99', '19', 'with tax'],
    ['0.99', '19', 'with tax'],
  ] as const;

  const halfAUnit = [
    ['0.05', '20', 'with tax'],
    ['0.08', '20', 'with tax'],
    ['0.08', '20', 'with tax'],
  ] as const;

  test.for([
    // 0.035 twice at 7 percent, and 0.1919: all rounded half up, they add up.
    [
      'total',
      [
        ['0.50', '7'],
        ['0.50', '7'],
        ['1.01', '19'],
      ],
      ['7: 1.00 0.07 1.07', '19: 1.01 0.19 1.20'],
    ],
    [
      'line',
      [
        ['0.50', '7'],
        ['0.50', '7'],
        ['1.01', '19'],
      ],
      ['7: 1.00 0.08 1.08', '19: 1.01 0.19 1.20'],
    ],
    // 0.005 and 0.005, of 0.01 in all; 0.004 three times, of 0.01 in all; 0.006 three times, of 0.02 in all.
    [
      'total',
      [
        ['0.10', '5'],
        ['0.05', '10'],
      ],
      ['5: 0.10 0.01 0.11', '10: 0.05 0.00 0.05'],
    ],
    [
      'total',
      [
        ['0.10', '4'],
        ['0.05', '8'],
        ['0.04', '10'],
      ],
      ['4: 0.10 0.01 0.11', '8: 0.05 0.00 0.05', '10: 0.04 0.00 0.04'],
    ],
    [
      'total',
      [
        ['0.10', '6'],
        ['0.05', '12'],
        ['0.03', '20'],
      ],
      ['6: 0.10 0.01 0.11', '12: 0.05 0.01 0.06', '20: 0.03 0.00 0.03'],
    ],
    [
      'line',
      [
        ['1.00', '19.00'],
        ['1.00', '19'],
        ['1.00', '0'],
      ],
      ['0: 1.00 0.00 1.00', '19: 2.00 0.38 2.38'],
    ],
    // Like the first, but each rate by itself.
    [
      'rate',
      [
        ['0.10', '5'],
        ['0.05', '10'],
      ],
      ['5: 0.10 0.01 0.11', '10: 0.05 0.01 0.06'],
    ],
    // A gross of 0.99 includes a tax of 0.158, three of them 0.474.
    ['line', threeWithTax, ['19: 2.49 0.48 2.97']],
    ['rate', threeWithTax, ['19: 2.50 0.47 2.97']],
    ['total', threeWithTax, ['19: 2.50 0.47 2.97']],
    // 0.0057 of a net price, and 0.158 in a gross one: each kind is rounded for itself.
    [
      'rate',
      [
        ['0.03', '19'],
        ['0.99', '19', 'with tax'],
      ],
      ['19: 0.86 0.17 1.03'],
    ],
    // 0.0083..., 0.013... and 0.013... come to 0.035 exactly.
    ['rate', halfAUnit, ['20: 0.17 0.04 0.21']],
    ['total', halfAUnit, ['20: 0.17 0.04 0.21']],
    [
      'rate',
      [
        ['1.19', '19', 'with tax'],
        ['1.00', '19'],
        ['1.00', '0', 'with tax'],
      ],
      ['0: 1.00 0.00 1.00', '19: 2.00 0.38 2.38'],
    ],
  ] as const)('are split by %s among the tax rates: %o', ([rounding, lines, expected]) => {
    const given = lines.map(([unitPrice, taxRate, isWith]) => ({
      quantity: '1',
      unitPrice,
      taxIncluded: isWith !== undefined,
      taxRate,
    }));
    const { taxes } = taxesOfLines(given, 'EUR', rounding);
    expect(taxes.map(({ rate, net, tax, gross }) => `${rate}: ${net} ${tax} ${gross}`)).toEqual(expected);
  });

  test('assign a remaining unit to the first of two lines with equal fractions, whatever their sizes', () => {
    // 1.33... and 0.33... cents of tax.
    const given = ['0.08', '0.02'].map((unitPrice) => ({ quantity: '1', unitPrice, taxIncluded: true, taxRate: '20' }));
    expect(computeTotals(given, 'EUR', 'rate').lines.map(({ tax }) => tax)).toEqual(['0.02', '0']);
  });

  test('have the digits of the currency', () => {
    const given = { quantity: '3', unitPrice: '33.3335', taxIncluded: false, taxRate: '10' };
    expect(computeTotals([given], 'JPY', 'line')).toMatchObject({ net: '100', tax: '10', gross: '110' });
    expect(computeTotals([given], 'KWD', 'line')).toMatchObject({ net: '100.001', tax: '10.000', gross: '110.001' });
    // ISO 4217's code for "no currency".
    expect(minorDigits('XXX')).toBe(2);
  });
});
