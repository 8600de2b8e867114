import { type Exact, exact, sum } from '#src/infra/exact.ts';
import { allocateShares } from './shares.rules.ts';

const digits = new Map<string, number>();

/** Digits after the point of the currency's minor unit, by ISO 4217: 2 for EUR, 0 for JPY; 2 for an unknown currency. */
export function minorDigits(currency: string): number {
  let known = digits.get(currency);
  if (known === undefined) {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
    digits.set(currency, (known = format.maximumFractionDigits ?? 2));
  }
  return known;
}

/**
 * Digits after the point. Tax that is extracted from a gross price seldom has a finite decimal, so it is cut after `ofTax` digits. Sums are
 * first rounded to fewer digits, then half up: three such taxes that add up to exactly half a unit would otherwise lose the unit to the
 * cut.
 */
const kept = { ofTax: 55, ofSums: 50 };

/** The level at which the tax of an order is rounded: for each line, for each tax rate, or once in total. */
export type TaxRounding = 'line' | 'rate' | 'total';

export interface Line {
  quantity: string;
  unitPrice: string;
  /** True if the price includes the tax. */
  taxIncluded: boolean;
  /** Percent of the net. */
  taxRate: string;
}

export interface Totals {
  net: string;
  tax: string;
  gross: string;
  /** In the order of the lines. The total is net. The tax is unrounded if it was rounded in a sum and the price does not include it. */
  lines: { lineTotal: string; tax: string }[];
}

/**
 * The amounts of an order. Quantity times price of a line is rounded half up to the currency's minor unit: this is its net, or its gross if
 * the price includes the tax. Tax is rounded as `rounding` says. Lines whose price includes the tax are rounded apart from the others, and
 * share their rounded tax in whole minor units, so that they cost what their prices say.
 */
export function computeTotals(lines: readonly Line[], currency: string, rounding: TaxRounding): Totals {
  const places = minorDigits(currency);
  const charged = lines.map((line, index) => {
    const amount = exact(line.quantity).times(line.unitPrice).toDecimalPlaces(places);
    const percent = line.taxIncluded ? exact(line.taxRate).plus(100) : 100;
    const tax = amount.times(line.taxRate).dividedBy(percent).toDecimalPlaces(kept.ofTax);
    return { index, amount, tax, taxIncluded: line.taxIncluded, sum: taxGroup(line, index, rounding) };
  });
  const taxes: Exact[] = [];
  const written: Totals['lines'] = [];
  for (const together of Map.groupBy(charged, (line) => line.sum).values()) {
    const unrounded = together.map(({ tax }) => tax);
    const tax = sum(unrounded).toDecimalPlaces(kept.ofSums).toDecimalPlaces(places);
    taxes.push(tax);
    const ofLines =
      together[0]?.taxIncluded || rounding === 'line' ? allocateShares(tax, unrounded, places) : unrounded;
    for (const [place, { index, amount, taxIncluded }] of together.entries()) {
      const own = ofLines[place] as Exact;
      const lineTotal = taxIncluded ? amount.minus(own) : amount;
      written[index] = { lineTotal: lineTotal.toFixed(places), tax: own.toFixed() };
    }
  }
  const net = sum(written.map(({ lineTotal }) => lineTotal));
  const tax = sum(taxes);
  return { net: net.toFixed(places), tax: tax.toFixed(places), gross: net.plus(tax).toFixed(places), lines: written };
}

/** The key of the sum in which a line's tax is rounded. */
function taxGroup({ taxIncluded, taxRate }: Line, index: number, rounding: TaxRounding): string {
  const within = { line: index, rate: exact(taxRate).toFixed(), total: '' }[rounding];
  return `${taxIncluded} ${within}`;
}
