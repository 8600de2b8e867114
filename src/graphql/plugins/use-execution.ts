import {
  type DocumentNode,
  execute,
  type ExecutionArgs,
  type ExecutionResult,
  getNamedType,
  getOperationAST,
  type GraphQLError,
  type GraphQLSchema,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '#src/graphql/context.ts';
import { computeCost, maxCost } from '#src/graphql/cost.ts';
import { openLiveStream } from '#src/graphql/fast/live-streams.ts';
import { type PlainQuery, planPlainQuery } from '#src/graphql/fast/plain-query.ts';
import { readByReplica } from '#src/graphql/replica-reads.ts';
import { badRequest } from '#src/infra/errors.ts';
import type { Budget } from './use-rate-limit.ts';

type Execute = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

/** How a document is executed. */
interface ExecutionStrategy {
  plain: PlainQuery | undefined;
  /** True if graphql-js executes the parts that are not plain, instead of Yoga's executor. */
  byReference: boolean;
}

/**
 * Decides whether and how an operation is executed, before any of its fields is resolved. Its cost is computed once and taken from the
 * caller's budget. An operation that is too expensive is refused here, because a check within the root fields would come after the first of
 * several mutations has run. A REST request was counted when it arrived.
 *
 * A plain query is completed by its document's plan. A document that selects free JSON goes to graphql-js, because Yoga's executor takes
 * any value with a `then` for a promise, and so fails on a caller's payload with such a key. All others go to Yoga's executor, which is a
 * fifth faster on lists. Subscriptions become live streams.
 */
export function useExecution(budget: Budget | undefined): Plugin {
  const strategies = new WeakMap<DocumentNode, ExecutionStrategy>();

  async function findRefusal(args: ExecutionArgs): Promise<GraphQLError | undefined> {
    const { schema, document, operationName, variableValues } = args;
    const context = args.contextValue as Context;
    // REST documents are our own, and their size is limited by their routes.
    if (context.transport === 'rest') return undefined;
    const operation = getOperationAST(document, operationName);
    // Execution reports an operation name that does not exist.
    const cost = operation ? computeCost(schema, document, operation, variableValues ?? {}) : 0;
    const overspent = await budget?.findRefusal(context, cost);
    if (overspent || cost <= maxCost) return overspent;
    return badRequest(
      `The operation costs ${cost} and may cost at most ${maxCost}. Ask for shorter pages, fewer nested lists or fewer mutations.`,
      operation ?? undefined,
    );
  }

  return {
    async onExecute({ args, executeFn, setExecuteFn, setResultAndStopExecution }) {
      const refusal = await findRefusal(args);
      if (refusal) return setResultAndStopExecution({ errors: [refusal] });
      const { document, schema } = args;
      let strategy = strategies.get(document);
      if (!strategy) strategies.set(document, (strategy = chooseStrategy(schema, document)));
      const { plain, byReference } = strategy;
      const general = byReference ? execute : (executeFn as Execute);
      const run = plain ? async (given: ExecutionArgs) => (await plain.execute(given)) ?? general(given) : general;
      setExecuteFn((args.contextValue as unknown as Context).deps.database.replica ? readByReplica(run) : run);
    },
    async onSubscribe({ args, setSubscribeFn, setResultAndStopExecution }) {
      const refusal = await findRefusal(args);
      if (refusal) return setResultAndStopExecution({ errors: [refusal] });
      setSubscribeFn(openLiveStream);
    },
  };
}

const chooseStrategy = (schema: GraphQLSchema, document: DocumentNode): ExecutionStrategy => ({
  plain: planPlainQuery(schema, document),
  byReference: selectsJson(schema, document),
});

function selectsJson(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  let found = false;
  const Field = () => {
    found ||= getNamedType(types.getType())?.name === 'JSON';
  };
  visit(document, visitWithTypeInfo(types, { Field }));
  return found;
}
