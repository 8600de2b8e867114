import { type Exact, exact, sum } from '#src/infra/exact.ts';
import { allocateShares } from './shares.rules.ts';
import { minorDigits } from './totals.rules.ts';

/** The sums of all positions of one tax rate. Amounts are decimal text. */
export interface OrderTax {
  /** Percent. */
  rate: string;
  net: string;
  tax: string;
  gross: string;
}

export interface TaxedOrder {
  currency: string;
  net: string;
  /** The rounded tax of the whole order. */
  tax: string;
  gross: string;
  /** The tax of a position is unrounded if only the total was rounded. */
  positions: readonly { taxRate: string; lineTotal: string; tax: string }[];
}

/**
 * Net, tax and gross per tax rate, the lowest rate first. They add up to the amounts of the order: if the tax of several rates is rounded
 * here, the remaining minor units of the order's tax go to the rates with the largest fractions.
 */
export function computeTaxes({ currency, net, tax, gross, positions }: TaxedOrder): OrderTax[] {
  const byRate = Map.groupBy(positions, ({ taxRate }) => rateAsText(taxRate));
  const [first] = byRate.keys();
  // Most orders have one rate, so a page of orders need not add up known sums.
  if (byRate.size === 1 && first !== undefined) return [{ rate: first, net, tax, gross }];
  const places = minorDigits(currency);
  const rates = [...byRate]
    .map(([rate, ofRate]) => ({
      rate,
      net: sum(ofRate.map(({ lineTotal }) => lineTotal)),
      tax: sum(ofRate.map((position) => position.tax)),
    }))
    .toSorted((a, b) => Number(a.rate) - Number(b.rate));
  const rounded = allocateShares(
    exact(tax),
    rates.map((each) => each.tax),
    places,
  );
  return rates.map((each, index) => {
    const own = rounded[index] as Exact;
    return {
      rate: each.rate,
      net: each.net.toFixed(places),
      tax: own.toFixed(places),
      gross: each.net.plus(own).toFixed(places),
    };
  });
}

/** 19.00 is the same rate as 19. */
const rateAsText = (rate: string): string => (rate.includes('.') ? exact(rate).toFixed() : rate);
