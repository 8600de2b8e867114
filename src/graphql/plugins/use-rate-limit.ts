import { type ExecutionArgs, getOperationAST, type GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '#src/graphql/context.ts';
import { costOf } from '#src/graphql/cost.ts';
import { accessError } from '#src/infra/errors.ts';
import type { RateLimits } from '#src/infra/rate-limits.ts';
import { mask } from './use-error-mask.ts';

/** What an operation may cost for one request of the caller's budget; a dearer one counts as several. */
const costOfRequest = 500;

/**
 * Counts requests against the budget that their transport or face names. REST is counted once as it arrives, before its body
 * is read; the graph's operations by their cost, before anything of them is executed, and subscriptions as they start.
 */
export function useRateLimit(limits: RateLimits): Plugin {
  async function refusalOf(context: Context, cost: number): Promise<GraphQLError | undefined> {
    const budget = context.budgetOf(context);
    if (budget === null) return undefined;
    try {
      const waitMs = await limits.take(budget, cost);
      return waitMs > 0 ? accessError('TOO_MANY_ATTEMPTS', undefined, Math.ceil(waitMs / 1_000)) : undefined;
    } catch (error) {
      return mask(error, context);
    }
  }

  async function refusalOfOperation(args: ExecutionArgs): Promise<GraphQLError | undefined> {
    const context = args.contextValue as Context;
    return context.transport === 'rest' ? undefined : refusalOf(context, requestsOf(args));
  }

  return {
    // When all have added to the context, and so told who asks.
    onContextBuilding:
      () =>
      async ({ context: built }) => {
        const context = built as unknown as Context;
        const error = context.transport === 'rest' ? await refusalOf(context, 1) : undefined;
        if (error) throw error;
      },
    async onExecute({ args, setResultAndStopExecution }) {
      const error = await refusalOfOperation(args);
      if (error) setResultAndStopExecution({ errors: [error] });
    },
    async onSubscribe({ args, setResultAndStopExecution }) {
      const error = await refusalOfOperation(args);
      if (error) setResultAndStopExecution({ errors: [error] });
    },
  };
}

function requestsOf({ schema, document, operationName, variableValues }: ExecutionArgs): number {
  const operation = getOperationAST(document, operationName);
  // Execution says what is wrong with a name that names nothing.
  if (!operation) return 1;
  return Math.max(1, Math.ceil(costOf(schema, document, operation, variableValues ?? {}) / costOfRequest));
}
