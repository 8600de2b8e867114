import {
  composeExchanges,
  type Exchange,
  formatDocument,
  mapExchange,
  stringifyDocument,
  subscriptionExchange,
} from '@urql/core';
import { expect, test } from 'vitest';
import { Evaluate } from '#console/automation/editor/expressions/expressions.documents.ts';
import { createUncachedClient } from '#console/graph/uncached.ts';

const url = 'http://localhost/graphql';
const variables = { expressions: ['{{ 1 }}'], scope: { runId: 'UnVuOjE=' } };
const data = { __typename: 'Query', evaluateExpressions: [] };

/** Notes the texts that are sent, and answers each with the same. */
function answering(sent: string[]): Exchange {
  const note = mapExchange({
    onOperation: ({ query, kind }) => void (kind === 'query' && sent.push(stringifyDocument(query))),
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

test('a client without a cache asks each time, in the words that the build has extracted', async () => {
  const sent: string[] = [];
  const client = createUncachedClient(url, answering(sent));
  for (let time = 0; time < 2; time += 1)
    expect((await client.query(Evaluate, variables).toPromise()).data).toEqual(data);
  const text = stringifyDocument(formatDocument(Evaluate));
  expect(sent).toEqual([text, text]);
});
