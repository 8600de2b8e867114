import { formatDocument, stringifyDocument } from '@urql/core';
import { expect, test } from 'vitest';
import { Evaluate } from '#console/automation/editor/expressions/expressions.documents.ts';
import { createUncachedClient } from '#console/graph/uncached.ts';
import { answering } from './answering.ts';

const url = 'http://localhost/graphql';
const variables = { expressions: ['{{ 1 }}'], scope: { runId: 'UnVuOjE=' } };
const data = { __typename: 'Query', evaluateExpressions: [] };

test('a client without a cache asks each time, in the words that the build has extracted', async () => {
  const sent: string[] = [];
  const client = createUncachedClient(url, answering(data, sent));
  for (let time = 0; time < 2; time += 1)
    expect((await client.query(Evaluate, variables).toPromise()).data).toEqual(data);
  const text = stringifyDocument(formatDocument(Evaluate));
  expect(sent).toEqual([text, text]);
});
