import type { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '#src/graphql/context.ts';
import { accessError, refusing } from '#src/infra/errors.ts';
import type { RateLimits } from '#src/infra/http/rate-limits.ts';
import { observations } from '#src/infra/observations/observations.ts';
import { mask } from './use-error-mask.ts';

/** The cost of an operation that counts as one request; a more expensive one counts as several. */
const costOfRequest = 500;

/** The rate limits of the subjects that transports and APIs assign to callers. */
export interface Budget {
  /** Counts an operation of that cost against the caller's limit; returns the error when it exceeds the limit. */
  findRefusal(context: Context, cost: number): Promise<GraphQLError | undefined>;
}

export const createBudget = (limits: RateLimits): Budget => ({
  async findRefusal(context, cost) {
    const budget = context.rateBudget(context);
    if (budget === null) return undefined;
    try {
      const waitMs = await limits.take(budget, Math.max(1, Math.ceil(cost / costOfRequest)));
      if (waitMs <= 0) return undefined;
      observations.callerLimited.tell(undefined);
      return accessError('TOO_MANY_ATTEMPTS', { retryAfter: Math.ceil(waitMs / 1_000) });
    } catch (error) {
      return refusing(mask(error, context));
    }
  },
});

/** Counts a REST request once, as it arrives and before its body is read; use-execution.ts counts the graph's operations. */
export const useRateLimit = (budget: Budget): Plugin => ({
  // After all plugins have extended the context, so the caller is known.
  onContextBuilding:
    () =>
    async ({ context: built }) => {
      const context = built as unknown as Context;
      const error = context.transport === 'rest' ? await budget.findRefusal(context, 0) : undefined;
      if (error) throw error;
    },
});
