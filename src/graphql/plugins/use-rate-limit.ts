import type { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '#src/graphql/context.ts';
import { accessError, refusing } from '#src/infra/errors.ts';
import type { RateLimits } from '#src/infra/rate-limits.ts';
import { mask } from './use-error-mask.ts';

/** What an operation may cost for one request of the caller's budget; a dearer one counts as several. */
const costOfRequest = 500;

/** The budgets that transports and faces name for their callers. */
export interface Budget {
  /** Takes an operation of that cost from the caller's budget, and answers why it is refused where that does not suffice. */
  refusalOf(context: Context, cost: number): Promise<GraphQLError | undefined>;
}

export const createBudget = (limits: RateLimits): Budget => ({
  async refusalOf(context, cost) {
    const budget = context.budgetOf(context);
    if (budget === null) return undefined;
    try {
      const waitMs = await limits.take(budget, Math.max(1, Math.ceil(cost / costOfRequest)));
      return waitMs > 0 ? accessError('TOO_MANY_ATTEMPTS', undefined, Math.ceil(waitMs / 1_000)) : undefined;
    } catch (error) {
      return refusing(mask(error, context));
    }
  },
});

/** Counts a REST request once, as it arrives and before its body is read; use-execution.ts counts the graph's operations. */
export const useRateLimit = (budget: Budget): Plugin => ({
  // When all have added to the context, and so told who asks.
  onContextBuilding:
    () =>
    async ({ context: built }) => {
      const context = built as unknown as Context;
      const error = context.transport === 'rest' ? await budget.refusalOf(context, 0) : undefined;
      if (error) throw error;
    },
});
