import { exact, sum } from './exact.rules.ts';

const digits = new Map<string, number>();

/** Digits after the point of the currency's minor unit, by ISO 4217: 2 of EUR, 0 of JPY; 2 of one that is not known. */
export function minorDigits(currency: string): number {
  let known = digits.get(currency);
  if (known === undefined) {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
    digits.set(currency, (known = format.maximumFractionDigits ?? 2));
  }
  return known;
}

export interface Line {
  quantity: string;
  unitPrice: string;
  /** Percent. */
  taxRate: string;
}

export interface Totals {
  net: string;
  tax: string;
  gross: string;
  /** In the order of the lines; the tax is unrounded where only the total is rounded. */
  lines: { lineTotal: string; tax: string }[];
}

/**
 * The amounts of an order. A line's total is rounded half up to the currency's minor unit; its tax as well, or, by `total`, only
 * the sum of all lines' tax.
 */
export function totalsOf(lines: readonly Line[], currency: string, rounding: 'line' | 'total'): Totals {
  const places = minorDigits(currency);
  const amounts = lines.map(({ quantity, unitPrice, taxRate }) => {
    const lineTotal = exact(quantity).times(unitPrice).toDecimalPlaces(places);
    const tax = lineTotal.times(taxRate).dividedBy(100);
    return { lineTotal, tax: rounding === 'line' ? tax.toDecimalPlaces(places) : tax };
  });
  const net = sum(amounts.map(({ lineTotal }) => lineTotal));
  const tax = sum(amounts.map((amount) => amount.tax)).toDecimalPlaces(places);
  return {
    net: net.toFixed(places),
    tax: tax.toFixed(places),
    gross: net.plus(tax).toFixed(places),
    lines: amounts.map((amount) => ({ lineTotal: amount.lineTotal.toFixed(places), tax: amount.tax.toFixed() })),
  };
}
