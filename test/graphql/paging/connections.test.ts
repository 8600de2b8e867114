import { expect } from 'vitest';
import { idCursors, pageByKey } from '#src/graphql/paging/connections.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

test('a list refuses an offset of -1', async () => {
  for (const list of ['workflows', 'runs', 'deadLetters', 'nodes']) {
    const { errors } = await api.graphql(`{ ${list}(offset: -1) { pageInfo { hasNextPage } } }`);
    expect(errors).toMatchObject([
      { extensions: { code: 'VALIDATION_FAILED', fields: { offset: [expect.any(String)] } } },
    ]);
  }
});

test('a list of more than 100,000 rows skips at most 100,000, and a shorter one any number', async () => {
  const page = (rows: number, offset: number) =>
    pageByKey(
      { offset },
      idCursors,
      async () => [],
      async (most) => Math.min(rows, most),
    );
  await expect(page(100_001, 100_001)).rejects.toMatchObject({ fields: { offset: [expect.any(String)] } });
  expect((await page(100_001, 100_000)).edges).toEqual([]);
  expect((await page(100_000, 100_001)).edges).toEqual([]);
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
    {
      extensions: { code: 'VALIDATION_FAILED', fields: { [name]: ['Ask for 1 to 100; use a cursor to go further.'] } },
    },
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
