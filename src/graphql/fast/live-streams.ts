import { createSourceEventStream, execute, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { Context } from '#src/graphql/context.ts';
import { tellingOfWrites, withReadAfter } from '#src/graphql/replica-reads.ts';
import { accessError } from '#src/infra/errors.ts';
import { LiveStream, openIterable, type OpenLive, openUntil } from '#src/infra/live/live-stream.ts';

/** The result of `subscribe` for a socket: the events themselves, which the socket executes once for all equal subscriptions. */
export interface LiveResult {
  live: OpenLive<object>;
}

/**
 * Opens a subscription, the same way for every transport: the field's `subscribe` and its scopes decide. A socket gets the source of
 * events, other transports the executed results. Those end when their caller loses access: when the token expires, or a key is revoked
 * (access-watch.service.ts). Sockets are closed in that case. A process that shuts down ends no stream; it closes the connection, because
 * the end of a stream means that the watched object has ended.
 */
export async function openLiveStream(
  args: ExecutionArgs,
): Promise<LiveResult | ExecutionResult | AsyncIterable<ExecutionResult>> {
  const context = args.contextValue as Context;
  const events = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in events)) return events;
  const opened =
    events instanceof LiveStream ? (events as LiveStream<object>).open : openIterable(events as AsyncIterable<object>);
  const source = context.deps.database.replica ? tellingOfWrites(context, opened) : opened;
  if (context.transport === 'socket') return { live: source };
  const live = openUntil(
    source,
    context.viewer?.expiresAt ?? 0,
    () => accessError('UNAUTHENTICATED'),
    (ended) => context.watchAccess?.(context, ended) ?? (() => undefined),
  );
  return { [Symbol.asyncIterator]: () => executed(args, new LiveStream(live)) };
}

function executed(args: ExecutionArgs, stream: AsyncIterable<object>): AsyncIterator<ExecutionResult, undefined> {
  const events = stream[Symbol.asyncIterator]();
  return {
    async next() {
      const { done, value } = await events.next();
      if (done) return { done: true, value: undefined };
      // Caches are keyed by the context object; with a new one for each event, no event gets an earlier event's result.
      const contextValue = { ...(args.contextValue as Context) };
      const result = await execute({ ...args, rootValue: value, contextValue });
      return { done: false, value: await withReadAfter(result, contextValue) };
    },
    async return() {
      await events.return?.();
      return { done: true, value: undefined };
    },
  };
}
