import { Decimal } from 'decimal.js';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { isOverLimit, lockBudgets } from './approval.store.ts';

/** Sums of amounts need more than decimal.js's default of 20 digits. */
const Exact = Decimal.clone({ precision: 100 });

/** True if a cost centre's budget is exceeded once `gross` is added to what was spent of it. */
export const isOverBudget = (budget: string, spent: string, gross: string): boolean =>
  new Exact(spent).plus(gross).greaterThan(budget);

/** The part of an order that an approval depends on. Amounts are gross. */
export interface OrderToApprove {
  organizationId: bigint;
  contactId: bigint | null;
  gross: string;
  /** The amounts booked on each cost centre, by code. */
  byCostCentre: ReadonlyMap<string, string>;
  /**
   * Amounts that other orders of this calendar month (UTC) booked on the cost centres, by code; codes without any may be absent. Called
   * with the codes that have a budget, after these are locked, so that two orders cannot both use the rest of one.
   */
  spentOn: (codes: string[]) => Promise<ReadonlyMap<string, string>>;
}

/** The reason why the order waits for an approval; null if it does not. */
export async function requiredApproval(
  tx: Tx,
  tenantId: string,
  { organizationId, contactId, gross, byCostCentre, spentOn }: OrderToApprove,
): Promise<'contact_limit' | 'cost_centre_budget' | null> {
  if (contactId !== null && (await isOverLimit(tx, tenantId, contactId, gross))) return 'contact_limit';
  if (byCostCentre.size === 0) return null;
  const budgets = await lockBudgets(tx, tenantId, organizationId, [...byCostCentre.keys()]);
  if (budgets.length === 0) return null;
  const spent = await spentOn(budgets.map(({ code }) => code));
  const over = budgets.some(({ code, budget }) =>
    isOverBudget(budget, spent.get(code) ?? '0', byCostCentre.get(code) ?? '0'),
  );
  return over ? 'cost_centre_budget' : null;
}
