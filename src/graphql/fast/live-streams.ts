import { createSourceEventStream, execute, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { Context } from '#src/graphql/context.ts';
import { accessError } from '#src/infra/errors.ts';
import { LiveStream, openIterable, type OpenLive, openUntil } from '#src/infra/live/live-stream.ts';

/** What `subscribe` answers a socket: the events themselves, to be executed there once for all who want the same. */
export interface LiveResult {
  live: OpenLive<object>;
}

/**
 * Opens a subscription, for every transport alike: the field's `subscribe` and its scopes decide, and a socket gets the
 * source of events, anyone else the executed results. Those end with the access of their caller: when the
 * token expires, or a key is revoked (access-watch.service.ts). A socket is closed then. A process that goes ends no stream: it closes the connection, because the end of a stream tells that the thing watched has ended.
 */
export async function openLiveStream(
  args: ExecutionArgs,
): Promise<LiveResult | ExecutionResult | AsyncIterable<ExecutionResult>> {
  const context = args.contextValue as Context;
  const events = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in events)) return events;
  const source =
    events instanceof LiveStream ? (events as LiveStream<object>).open : openIterable(events as AsyncIterable<object>);
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
      // Caches hang on the context object; one of its own keeps an event from being answered with an earlier event's.
      const contextValue = { ...(args.contextValue as Context) };
      return { done: false, value: await execute({ ...args, rootValue: value, contextValue }) };
    },
    async return() {
      await events.return?.();
      return { done: true, value: undefined };
    },
  };
}
