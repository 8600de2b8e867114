import { Decimal } from 'decimal.js';

/** Sums of quantities of 18 and 6 digits stay exact far beyond what a ledger can add up. */
const Exactly = Decimal.clone({ precision: 100, toExpNeg: -1000, toExpPos: 1000 });

export type Exact = Decimal;
export const exact = (value: string | number): Exact => new Exactly(value);
export const zero: Exact = exact(0);
