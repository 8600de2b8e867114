import { type ExecutionArgs, type ExecutionResult, getOperationAST, OperationTypeNode } from 'graphql';
import { heedReadAfter, signReadAfter } from '#src/infra/http/read-after.ts';
import type { OpenLive } from '#src/infra/live/live-stream.ts';
import type { Database } from '#src/infra/postgres/database.ts';
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
      let result: ExecutionResult;
      try {
        result = await run(args);
      } finally {
        // Before anybody is answered.
        noteWrite(context);
      }
      // An HTTP answer carries the token in a header instead.
      return context.transport === 'socket' ? withReadAfter(result, context) : result;
    }
    if (incoming.readAfter !== undefined) heedReadAfter(deps, tenant.id, incoming.readAfter);
    const { reads } = replica;
    const tenantPart = { ...withDatabase(tenant, deps.database, reads), db: reads.reader(tenant.id) };
    return run({ ...args, contextValue: { ...withDatabase(context, deps.database, reads), tenant: tenantPart } });
  };

/** Copies of services that read the replica, by the service. */
const reading = new WeakMap<object, object>();

/** The object with another database in the dependencies and services that it holds. */
function withDatabase<Held extends object>(held: Held, from: Database, to: Database): Held {
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(held)) {
    if (typeof member !== 'object' || member === null || (member as { database?: unknown }).database !== from) {
      copy[name] = member;
      continue;
    }
    let known = reading.get(member as object);
    if (!known) reading.set(member as object, (known = { ...(member as object), database: to }));
    copy[name] = known;
  }
  return copy as Held;
}

/** Has the reads that follow find what the request wrote in its tenant. */
export function noteWrite({ tenant, deps, incoming }: Context): void {
  if (!tenant || !deps.database.replica) return;
  deps.database.replica.positions.wrote(tenant.id);
  incoming.wrote?.(tenant.id);
}

/**
 * Adds the token `extensions.readAfter` to the result of a mutation over a socket, or of a subscription's event. The caller sends it with
 * its reads, to see the state that the result reports. Call this after the result is complete. Without a replica the result is unchanged.
 */
export function withReadAfter(
  result: ExecutionResult,
  { tenant, deps }: Pick<Context, 'tenant' | 'deps'>,
): ExecutionResult | Promise<ExecutionResult> {
  if (!tenant || !deps.database.replica) return result;
  return signReadAfter(deps, tenant.id).then((readAfter) =>
    readAfter === undefined ? result : { ...result, extensions: { ...result.extensions, readAfter } },
  );
}

/** The source of a subscription's events. A client that hears of a change reads its lists again, and must find the change there. */
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
