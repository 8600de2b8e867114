import { type ExecutionArgs, getOperationAST, type GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { costOf, maxCost } from '#src/graphql/cost.ts';
import { badRequest } from '#src/infra/errors.ts';

/**
 * Refuses operations that may cost too much, before any of their fields is resolved: a check within the root fields comes
 * after the first of several mutations has run.
 */
export const useCostLimit = (): Plugin => ({
  onExecute({ args, setResultAndStopExecution }) {
    const error = overspent(args);
    if (error) setResultAndStopExecution({ errors: [error] });
  },
  onSubscribe({ args, setResultAndStopExecution }) {
    const error = overspent(args);
    if (error) setResultAndStopExecution({ errors: [error] });
  },
});

function overspent({ schema, document, operationName, variableValues }: ExecutionArgs): GraphQLError | undefined {
  const operation = getOperationAST(document, operationName);
  // Execution says what is wrong with a name that names nothing.
  if (!operation) return undefined;
  const cost = costOf(schema, document, operation, variableValues ?? {});
  if (cost <= maxCost) return undefined;
  return badRequest(
    `The operation costs ${cost} and may cost at most ${maxCost}. Ask for shorter pages, fewer nested lists or fewer mutations.`,
    operation,
  );
}
