import { composeExchanges, type Exchange, mapExchange, stringifyDocument, subscriptionExchange } from '@urql/core';

/** A transport that notes the texts that are sent, and answers each with the same. */
export function answering(data: object, sent: string[] = []): Exchange {
  const note = mapExchange({
    onOperation: ({ query, kind }) => void (kind !== 'teardown' && sent.push(stringifyDocument(query))),
  });
  const answer = subscriptionExchange({
    enableAllOperations: true,
    forwardSubscription: () => ({
      subscribe: (sink) => {
        queueMicrotask(() => {
          sink.next({ data });
          sink.complete();
        });
        return { unsubscribe: () => undefined };
      },
    }),
  });
  return composeExchanges([note, answer]);
}
