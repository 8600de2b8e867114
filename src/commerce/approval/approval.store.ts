import type { Tx } from '#src/infra/postgres/tx.ts';

/** True if the contact has a limit, and the amount is above it. */
export async function isOverLimit(tx: Tx, tenantId: string, contactId: bigint, gross: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'approval-limit',
    text: 'SELECT FROM contacts WHERE tenant_id = $1 AND id = $2 AND approval_limit < $3::numeric',
    values: [tenantId, contactId, gross],
  });
  return rowCount === 1;
}

export interface Budget {
  code: string;
  budget: string;
}

/** The budgets of an organization's cost centres, each locked until the transaction ends; cost centres without a budget are left out. */
export async function lockBudgets(
  tx: Tx,
  tenantId: string,
  organizationId: bigint,
  codes: readonly string[],
): Promise<Budget[]> {
  const { rows } = await tx.query<Budget>({
    name: 'lock-budgets',
    text: `SELECT code, budget::text AS budget FROM cost_centres
      WHERE tenant_id = $1 AND organization_id = $2 AND code = ANY($3) AND budget IS NOT NULL
      ORDER BY code FOR NO KEY UPDATE`,
    values: [tenantId, organizationId, codes],
  });
  return rows;
}
