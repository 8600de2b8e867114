import { Decimal } from 'decimal.js';

/** 18 digits times 18 digits, summed over an order, stay exact. `toFixed` never writes an exponent. */
const Exactly = Decimal.clone({ precision: 100, rounding: Decimal.ROUND_HALF_UP });

export type Exact = Decimal;
export const exact = (value: string | number): Exact => new Exactly(value);
export const roundedDown = (value: Exact, places: number): Exact => value.toDecimalPlaces(places, Decimal.ROUND_FLOOR);
export const sum = (values: readonly (string | Exact)[]): Exact =>
  values.reduce<Exact>((total, value) => total.plus(value), exact(0));
