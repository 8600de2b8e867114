import type { FiringDeps } from '#src/automation/firings/firings.service.ts';
import { startRun } from '#src/automation/firings/manual-firing.service.ts';
import type { LiveRunDeps } from '#src/automation/runs/live/live-runs.service.ts';
import { waitForRun } from '#src/automation/runs/live/run-waiting.service.ts';
import type { Settings } from '#src/commerce/settings/settings.service.ts';
import { type Actor, systemActor } from '#src/infra/deps.ts';
import { AppError, ConflictError } from '#src/infra/errors.ts';
import { hasCredit } from './credit.rules.ts';
import type { Buyer } from './order-placement.store.ts';

interface Purchase {
  organization: Buyer;
  gross: string;
  currency: string;
}

/** The dependencies of a credit check: it starts a run and waits for it. */
type CreditDeps = FiringDeps & LiveRunDeps;

/**
 * Asks the tenant's credit workflow, with no transaction open, and resolves to true when the order must be held. Rejects with a
 * ConflictError when the workflow does not answer in time and the tenant refuses such orders.
 */
export type CreditCheck = (actor: Actor, settings: Settings, purchase: Purchase) => Promise<boolean>;

export const createCreditCheck =
  (deps: CreditDeps): CreditCheck =>
  async (actor, { creditWorkflowId, creditTimeoutMs, creditFallback }, purchase) => {
    if (creditWorkflowId === null) return false;
    const answer = await askForCredit(deps, actor, { creditWorkflowId, creditTimeoutMs }, purchase);
    const may = answer === undefined ? null : hasCredit(answer, purchase.gross);
    if (may !== null) return !may;
    const context = { tenantId: actor.tenantId, workflowId: Number(creditWorkflowId), fallback: creditFallback };
    deps.log.warn(context, 'The credit workflow gave no answer in time, or none that can be read.');
    if (creditFallback === 'refuse') {
      throw new ConflictError('The credit of the organization could not be read in time. Place the order again later.');
    }
    return creditFallback === 'hold';
  };

/** The result of the run; undefined if it did not succeed in time. */
async function askForCredit(
  deps: CreditDeps,
  { orgId, tenantId }: Actor,
  { creditWorkflowId, creditTimeoutMs }: { creditWorkflowId: bigint; creditTimeoutMs: number },
  { organization, gross: total, currency }: Purchase,
): Promise<unknown> {
  const { id, customerNumber: customer_number, name } = organization;
  const until = Date.now() + creditTimeoutMs;
  try {
    const { runId } = await startRun(deps, systemActor(orgId, tenantId), {
      workflowId: creditWorkflowId,
      payload: { organization: { id, customer_number, name }, total, currency },
    });
    const run = await waitForRun(deps, tenantId, runId, Math.max(0, until - Date.now()));
    if (run?.status !== 'succeeded') return undefined;
    const [row] = await deps.database.tenantQuery<{ result: unknown }>(tenantId, {
      text: 'SELECT result FROM run_results WHERE tenant_id = $1 AND run_id = $2',
      values: [tenantId, runId],
    });
    return row?.result;
  } catch (error) {
    // The workflow is deleted, disabled or not built: there is no answer.
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
