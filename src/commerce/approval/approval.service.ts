import type { Tx } from '#src/infra/postgres/tx.ts';
import { isOverBudget } from './approval.rules.ts';
import { isOverLimit, lockBudgets } from './approval.store.ts';

/** An order as far as an approval goes. Amounts are gross. */
export interface OrderToApprove {
  organizationId: bigint;
  contactId: bigint | null;
  gross: string;
  /** What of it is booked on each cost centre, by code. */
  byCostCentre: ReadonlyMap<string, string>;
  /**
   * What other orders of this calendar month (UTC) booked on the cost centres, by code; a code without any may be left out.
   * Asked for codes that have a budget, once these are locked, so that two orders cannot both take what is left of one.
   */
  spentOn: (codes: string[]) => Promise<ReadonlyMap<string, string>>;
}

/** Why the order waits for an approval: null where it does not. */
export async function approvalOf(
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
