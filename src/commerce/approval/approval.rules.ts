import { Decimal } from 'decimal.js';

/** Sums of amounts need more than decimal.js's default of 20 digits. */
const Exact = Decimal.clone({ precision: 100 });

/** True if a cost centre's budget is exceeded once `gross` is added to what was spent of it. */
export const isOverBudget = (budget: string, spent: string, gross: string): boolean =>
  new Exact(spent).plus(gross).greaterThan(budget);
