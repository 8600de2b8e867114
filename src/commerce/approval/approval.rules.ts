import { Decimal } from 'decimal.js';

/** Sums of amounts need more digits than the 20 that decimal.js keeps by itself. */
const Exact = Decimal.clone({ precision: 100 });

/** Whether a cost centre's budget is exceeded once `gross` is added to what was spent of it. */
export const isOverBudget = (budget: string, spent: string, gross: string): boolean =>
  new Exact(spent).plus(gross).greaterThan(budget);
