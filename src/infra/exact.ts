import { Decimal } from 'decimal.js';

/**
 * Products and sums of amounts and quantities with up to 18 digits before and 6 after the point stay exact; their text never has an
 * exponent.
 */
const Exactly = Decimal.clone({ precision: 100, rounding: Decimal.ROUND_HALF_UP, toExpNeg: -1000, toExpPos: 1000 });

export type Exact = Decimal;
export const exact = (value: string | number): Exact => new Exactly(value);
export const zero: Exact = exact(0);
export const roundedDown = (value: Exact, places: number): Exact => value.toDecimalPlaces(places, Decimal.ROUND_FLOOR);
export const sum = (values: readonly (string | Exact)[]): Exact =>
  values.reduce<Exact>((total, value) => total.plus(value), zero);
