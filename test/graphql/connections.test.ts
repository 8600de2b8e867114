import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '#test/setup/app.ts';

let api: TestApp;
beforeAll(async () => {
  api = await startTestApp();
});
afterAll(() => api.close());

it.each([-1, 100_001])('a list passes over no %i rows', async (offset) => {
  for (const list of ['workflows', 'runs', 'deadLetters', 'nodes']) {
    const { errors } = await api.graphql(`{ ${list}(offset: ${offset}) { pageInfo { hasNextPage } } }`);
    expect(errors).toMatchObject([
      { extensions: { code: 'VALIDATION_FAILED', fields: { offset: [expect.any(String)] } } },
    ]);
  }
});

it('a list that is passed over to its end has nothing after and something before', async () => {
  const { data, errors } = await api.graphql(
    '{ runs(offset: 100000) { edges { cursor } pageInfo { hasNextPage hasPreviousPage } } }',
  );
  expect(errors).toBeUndefined();
  expect(data).toEqual({ runs: { edges: [], pageInfo: { hasNextPage: false, hasPreviousPage: true } } });
});
