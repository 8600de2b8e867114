import { expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

test.each([-1, 100_001])('a list passes over no %i rows', async (offset) => {
  for (const list of ['workflows', 'runs', 'deadLetters', 'nodes']) {
    const { errors } = await api.graphql(`{ ${list}(offset: ${offset}) { pageInfo { hasNextPage } } }`);
    expect(errors).toMatchObject([
      { extensions: { code: 'VALIDATION_FAILED', fields: { offset: [expect.any(String)] } } },
    ]);
  }
});

test('a page past the end of a list has no next page and a previous one', async () => {
  const { data, errors } = await api.graphql(
    '{ runs(offset: 100000) { edges { cursor } pageInfo { hasNextPage hasPreviousPage } } }',
  );
  expect(errors).toBeUndefined();
  expect(data).toEqual({ runs: { edges: [], pageInfo: { hasNextPage: false, hasPreviousPage: true } } });
});

test('a list is read forwards or backwards, not both', async () => {
  const { errors } = await api.graphql('{ runs(first: 5, last: 5) { edges { cursor } } }');
  expect(errors).toMatchObject([{ extensions: { fields: { last: ['Ask for first or last.'] } } }]);
});

test.each([
  ['runs', 'first'],
  ['schedules', 'first'],
  ['nodes', 'last'],
  ['secrets', 'first'],
])('%s refuses a page of more than 100 rather than answering a shorter one', async (list, name) => {
  const page = (size: number) => api.graphql(`{ ${list}(${name}: ${size}) { edges { cursor } } }`);
  expect((await page(100)).errors).toBeUndefined();
  expect((await page(101)).errors).toMatchObject([
    { extensions: { code: 'VALIDATION_FAILED', fields: { [name]: ['Ask for 1 to 100; cursors reach further.'] } } },
  ]);
});

test.each(['after', 'before'])('a list takes no other spelling of a cursor than its own: %s', async (name) => {
  const own = Buffer.from('id:1').toString('base64url');
  const page = (cursor: string) => `{ deadLetters(${name}: "${cursor}") { edges { cursor } } }`;
  expect((await api.graphql(page(own))).errors).toBeUndefined();
  for (const other of [`${own}=`, `${own}x`, ` ${own}`, `${own.slice(0, -1)}R`]) {
    const { errors } = await api.graphql(page(other));
    expect(errors).toMatchObject([{ extensions: { fields: { [name]: [expect.any(String)] } } }]);
  }
});
