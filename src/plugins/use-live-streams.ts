import { createSourceEventStream, execute, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context } from '#src/context.ts';
import { accessError } from '#src/platform/errors.ts';
import { LiveStream, openIterable, type OpenLive, openUntil } from '#src/platform/live-stream.ts';

/** What `subscribe` answers a socket: the events themselves, to be executed there once for all who want the same. */
export interface LiveResult {
  live: OpenLive<object>;
}

/**
 * Opens subscriptions, for every transport alike: the field's `subscribe` and its scopes decide, and the stream ends with
 * the token it was opened with. A socket gets the source of events, anyone else the executed results.
 */
export function useLiveStreams(): Plugin {
  return {
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn((args: ExecutionArgs) => subscribe(args));
    },
  };
}

async function subscribe(args: ExecutionArgs): Promise<LiveResult | ExecutionResult | AsyncIterable<ExecutionResult>> {
  const context = args.contextValue as Context;
  const events = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in events)) return events;
  const source =
    events instanceof LiveStream ? (events as LiveStream<object>).open : openIterable(events as AsyncIterable<object>);
  const live = openUntil(source, context.viewer?.expiresAt ?? 0, () => accessError('UNAUTHENTICATED'));
  return context.transport === 'socket' ? { live } : executed(args, new LiveStream(live));
}

async function* executed(
  args: ExecutionArgs,
  events: AsyncIterable<object>,
): AsyncGenerator<ExecutionResult, void, void> {
  for await (const rootValue of events) {
    // Caches hang on the context object; one of its own keeps an event from being answered with an earlier event's.
    yield await execute({ ...args, rootValue, contextValue: { ...(args.contextValue as Context) } });
  }
}
