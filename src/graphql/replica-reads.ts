import { type ExecutionArgs, type ExecutionResult, getOperationAST, OperationTypeNode } from 'graphql';
import { heedReadAfter } from '#src/infra/http/read-after.ts';
import type { OpenLive } from '#src/infra/live/live-stream.ts';
import type { Context } from './context.ts';

type Execute = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

/**
 * Executes queries with a context whose tenant is read by the replica, where there is one. Everything else reads the primary: mutations with
 * their payloads, subscriptions, and whatever identifies, limits and charges the caller, which happens before.
 */
export const readByReplica =
  (run: Execute): Execute =>
  async (args) => {
    const context = args.contextValue as Context;
    const { tenant, deps, incoming } = context;
    const { replica } = deps.database;
    if (!replica || !tenant) return run(args);
    if (getOperationAST(args.document, args.operationName)?.operation !== OperationTypeNode.QUERY) {
      try {
        return await run(args);
      } finally {
        // Before anybody is answered.
        noteWrite(context);
      }
    }
    if (incoming.readAfter !== undefined) heedReadAfter(deps, tenant.id, incoming.readAfter);
    const reading = { ...deps, database: replica.reads };
    const db = replica.reads.reader(tenant.id);
    return run({ ...args, contextValue: { ...context, deps: reading, tenant: { ...tenant, deps: reading, db } } });
  };

/** Has the reads that follow find what the request wrote in its tenant. */
export function noteWrite({ tenant, deps, incoming }: Context): void {
  if (!tenant || !deps.database.replica) return;
  deps.database.replica.positions.wrote(tenant.id);
  incoming.wrote?.(tenant.id);
}

/** The source of a subscription's events. Whoever is told of a change then reads lists, which must have it. */
export const tellingOfWrites =
  ({ tenant, deps }: Context, open: OpenLive<object>): OpenLive<object> =>
  (to) =>
    open({
      ...to,
      event(event) {
        if (tenant) deps.database.replica?.positions.wrote(tenant.id);
        return to.event(event);
      },
    });
