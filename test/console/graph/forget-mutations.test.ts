import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Client, gql } from '@urql/core';
import { expect, test } from 'vitest';
import { cachedExchanges } from '#console/graph/exchanges.ts';
import { answering } from './answering.ts';

const Save = gql('mutation Save($input: JSON!) { save(input: $input) { __typename } }');
const answer = { __typename: 'Mutation', save: { __typename: 'Saved' } };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('what a mutation sent is let go once it is answered', async () => {
  const exchanges = cachedExchanges(answering(answer));
  const client = new Client({ url: 'http://localhost/graphql', preferGetMethod: false, exchanges });
  const send = async (): Promise<WeakRef<object>> => {
    const input = { nodes: Array.from({ length: 100 }, (_, index) => ({ id: `node-${index}` })) };
    expect((await client.mutation(Save, { input }).toPromise()).data).toMatchObject({ save: {} });
    return new WeakRef(input);
  };
  const input = await send();
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(input.deref()).toBeUndefined();
  // The client lives as long as the page.
  expect(client.mutation).toBeTypeOf('function');
});
