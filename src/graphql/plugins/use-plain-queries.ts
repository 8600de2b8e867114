import type { DocumentNode, ExecutionArgs, ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { type PlainQuery, planPlainQuery } from '#src/graphql/fast/plain-query.ts';

/** Completes plain queries by a plan made once for each document; everything else goes to the executor as it was. */
export function usePlainQueries(): Plugin {
  const plans = new WeakMap<DocumentNode, PlainQuery | null>();
  return {
    onExecute({ args: { document, schema }, executeFn, setExecuteFn }) {
      let plan = plans.get(document);
      if (plan === undefined) plans.set(document, (plan = planPlainQuery(schema, document) ?? null));
      if (plan === null) return;
      const { execute } = plan;
      setExecuteFn(
        async (args: ExecutionArgs) => (await execute(args)) ?? ((await executeFn(args)) as ExecutionResult),
      );
    },
  };
}
