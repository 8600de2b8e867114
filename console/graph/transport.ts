import type { Exchange, Operation } from 'urql';
import { subscriptionExchange } from 'urql';
import { heedingResults } from './read-after.ts';
import { type Endpoint, send } from './send.ts';
import { openSocket } from './socket.ts';
import { toldEnd } from './told-end.ts';

type Sink = Parameters<ReturnType<typeof openSocket>['subscribe']>[1];

/**
 * The exchange that sends operations: subscriptions over the socket; queries and mutations over HTTP, each in a request of its own, so that
 * a slow one holds up no other.
 */
export function createTransport(endpoint: Endpoint): { exchange: Exchange; close: () => void } {
  const socket = openSocket(endpoint);
  const exchange = subscriptionExchange({
    enableAllOperations: true,
    forwardSubscription: (request, operation) => ({
      subscribe: (sink) => ({
        unsubscribe:
          operation.kind === 'subscription'
            ? socket.subscribe(
                { query: request.query ?? '', variables: request.variables ?? {} },
                heedingResults(endpoint, toldEnd(sink as Sink)),
              )
            : sendOver(endpoint, operation.kind, JSON.stringify(request), sink as Sink),
      }),
    }),
  });
  return { exchange, close: () => void socket.dispose() };
}

/** Returns the function that gives up the request. */
function sendOver(endpoint: Endpoint, kind: Operation['kind'], body: string, sink: Sink): () => void {
  const stop = new AbortController();
  send(endpoint, body, kind === 'query', stop.signal).then(
    (result) => {
      sink.next(result as Parameters<Sink['next']>[0]);
      sink.complete();
    },
    (error: unknown) => {
      if (!stop.signal.aborted) sink.error(error);
    },
  );
  return () => stop.abort();
}
