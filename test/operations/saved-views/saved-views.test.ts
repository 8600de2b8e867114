import { describe, expect } from 'vitest';
import { savedViewLimits } from '#src/operations/saved-views/saved-views.inputs.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

type Asking = Parameters<TestApp['graphql']>[2];
const ann = { sub: 'ann', email: 'ann@example.com', roles: ['user'] };
const ben = { sub: 'ben', email: 'ben@example.com', roles: ['user'] };

interface View {
  id: string;
  list: string;
  name: string;
  filter: object;
  orderBy: object | null;
  columns: string[];
  shared: boolean;
  isOwn: boolean;
  owner: string;
  problems: { path: string; messages: string[] }[];
}
const fields = 'id list name filter orderBy columns shared isOwn owner problems { path messages }';

interface Outcome {
  __typename: string;
  savedView?: View;
  fields?: { path: string }[];
}

async function change(mutation: string, input: object, asking: Asking = ann): Promise<Outcome> {
  const title = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`;
  const { data, errors } = await api.graphql<{ outcome: Outcome }>(
    `mutation ($input: ${title}Input!) { outcome: ${mutation}(input: $input) { __typename
      ${mutation === 'deleteSavedView' ? '' : `... on ${title}Payload { savedView { ${fields} } }`} ... on NotFoundError { message } ... on ValidationError { fields { path } } } }`,
    { input },
    asking,
  );
  expect(errors).toBeUndefined();
  return data.outcome;
}

async function create(input: object, asking: Asking = ann): Promise<View> {
  const { savedView, ...rest } = await change('createSavedView', input, asking);
  if (!savedView) throw new Error(JSON.stringify(rest));
  return savedView;
}

async function list(name: string | null, asking: Asking = ann): Promise<View[]> {
  const { data } = await api.graphql<{ savedViews: { edges: { node: View }[] } }>(
    `query ($list: String) { savedViews(list: $list, first: 100) { edges { node { ${fields} } } } }`,
    { list: name },
    asking,
  );
  return data.savedViews.edges.map(({ node }) => node);
}

const failedRuns = {
  list: 'runs',
  filter: { status: ['FAILED'], since: '2026-11-01T00:00:00.000Z' },
  orderBy: { field: 'CREATED_AT', direction: 'DESC' },
  columns: ['id', 'workflowName'],
};

test('a view is returned as it was saved, and what it holds is taken by the list', async () => {
  const view = await create({ ...failedRuns, name: 'Failed' });
  expect(view).toEqual({
    ...failedRuns,
    id: view.id,
    name: 'Failed',
    shared: false,
    isOwn: true,
    owner: 'ann@example.com',
    problems: [],
  });
  expect(await list('runs')).toEqual([view]);
  expect(await list('orders')).toEqual([]);
  const read = await api.graphql(
    'query ($filter: RunFilter, $orderBy: RunOrder) { runs(filter: $filter, orderBy: $orderBy) { totalCount } }',
    { filter: view.filter, orderBy: view.orderBy },
  );
  expect(read).toEqual({ data: { runs: { totalCount: 0 } } });
});

test('a view is changed in part', async () => {
  const { id } = await create({ ...failedRuns, name: 'Changing' });
  expect((await change('updateSavedView', { id, orderBy: null, shared: true })).savedView).toMatchObject({
    ...failedRuns,
    name: 'Changing',
    orderBy: null,
    shared: true,
  });
  expect((await change('updateSavedView', { id, filter: null, name: ' Renamed ' })).savedView).toMatchObject({
    name: 'Renamed',
    filter: {},
    columns: failedRuns.columns,
  });
});

describe('a view is refused', () => {
  let deep: unknown = {};
  for (let level = 0; level < 20; level += 1) deep = { deep };
  test.for<[what: string, input: object, path: string]>([
    ['a list that there is not', { list: 'nothing' }, 'list'],
    ['a field that is no list', { list: 'run' }, 'list'],
    ['a name of an object', { list: '__proto__' }, 'list'],
    ['an unknown member', { filter: { colour: 'red' } }, 'filter'],
    ['an unknown value', { filter: { status: ['LOST'] } }, 'filter.status.0'],
    ['a wrong type', { filter: { search: 7 } }, 'filter.search'],
    ['no date', { filter: { since: 'yesterday' } }, 'filter.since'],
    ['an incomplete order', { orderBy: { direction: 'ASC' } }, 'orderBy'],
    ['a filter of a list that takes none', { list: 'apiKeys', filter: { name: 'x' } }, 'filter'],
    ['a filter that is an array', { filter: ['FAILED'] }, 'filter'],
    ['a filter that is text', { filter: 'FAILED' }, 'filter'],
    ['a large filter', { list: 'products', filter: { attributes: { color: 'x'.repeat(20_000) } } }, 'filter'],
    ['a deep filter', { list: 'products', filter: { attributes: deep } }, 'filter'],
    ['NUL in a filter', { filter: { search: 'a\0' } }, 'filter'],
    ['a long name', { name: 'x'.repeat(192) }, 'name'],
    ['no name', { name: ' ' }, 'name'],
    ['many columns', { columns: Array.from({ length: 101 }, () => 'x') }, 'columns'],
  ])('with %s', async ([what, input, path]) => {
    const refused = await change('createSavedView', { list: 'runs', name: what, ...input });
    expect(refused).toMatchObject({ __typename: 'ValidationError', fields: [{ path }] });
  });

  test('whose name the user has given to another view of the list', async () => {
    await create({ list: 'orders', name: 'Twice' });
    expect(await change('createSavedView', { list: 'orders', name: 'Twice' })).toMatchObject({
      fields: [{ path: 'name' }],
    });
    const { id } = await create({ list: 'orders', name: 'Once' });
    expect(await change('updateSavedView', { id, name: 'Twice' })).toMatchObject({ fields: [{ path: 'name' }] });
    await create({ list: 'products', name: 'Twice' });
    await create({ list: 'orders', name: 'Twice' }, ben);
  });

  test('beyond the number that a user may have, however many are saved at the same time', async () => {
    const cy = { sub: 'cy', roles: ['user'] };
    await create({ list: 'runs', name: 'First' }, cy);
    await api.database.withTenantSql('acme-shop', async (tx) =>
      tx.query(
        `INSERT INTO saved_views (tenant_id, user_id, list, name, updated_at)
         SELECT 'acme-shop', user_id, 'runs', 'View ' || n, now() FROM saved_views, generate_series(2, ${savedViewLimits.ofUser - 1}) AS n
         WHERE name = 'First'`,
      ),
    );
    const saved = await Promise.all(
      ['a', 'b', 'c'].map((name) => change('createSavedView', { list: 'runs', name }, cy)),
    );
    expect(saved.map(({ __typename }) => __typename).toSorted()).toEqual([
      'CreateSavedViewPayload',
      'ValidationError',
      'ValidationError',
    ]);
  });
});

describe('another user', () => {
  test('of the tenant sees a view only while it is shared, and changes none', async () => {
    const { id } = await create({ list: 'deadLetters', name: 'Mine' });
    const node = () =>
      api.graphql('query ($id: ID!) { node(id: $id) { ... on SavedView { name isOwn } } }', { id }, ben);
    expect(await list('deadLetters', ben)).toEqual([]);
    expect(await node()).toEqual({ data: { node: null } });
    await change('updateSavedView', { id, shared: true });
    expect(await list('deadLetters', ben)).toMatchObject([{ id, isOwn: false, owner: 'ann@example.com' }]);
    expect(await node()).toEqual({ data: { node: { name: 'Mine', isOwn: false } } });
    for (const mutation of ['updateSavedView', 'deleteSavedView'])
      expect(await change(mutation, { id }, ben)).toMatchObject({
        __typename: 'NotFoundError',
        message: expect.stringContaining('is changed by its owner alone'),
      });
    expect(await list('deadLetters')).toHaveLength(1);
  });

  test('who is an admin deletes a view that is shared, and no other', async () => {
    const admin = { sub: 'admin', roles: ['admin'] };
    const [shared, own] = [
      await create({ list: 'schedules', name: 'Shared', shared: true }),
      await create({ list: 'schedules', name: 'Own' }),
    ];
    expect(await change('deleteSavedView', { id: own.id }, admin)).toMatchObject({ __typename: 'NotFoundError' });
    expect(await change('deleteSavedView', { id: shared.id }, admin)).toMatchObject({
      __typename: 'DeleteSavedViewPayload',
    });
    expect(await list('schedules')).toMatchObject([{ name: 'Own' }]);
  });

  test('of another tenant, with the same subject, sees none', async () => {
    const { id } = await create({ list: 'secrets', name: 'Here', shared: true });
    const there = { ...ann, tenant: 'acme-outlet' };
    expect(await list('secrets', there)).toEqual([]);
    expect(await change('deleteSavedView', { id }, there)).toMatchObject({ __typename: 'NotFoundError' });
  });

  test('that is an API key has no views', async () => {
    const { errors } = await api.graphql('{ savedViews { totalCount } }', {}, { apiKey: await api.apiKey(['*']) });
    expect(errors?.map(({ extensions }) => extensions?.code)).toEqual(['FORBIDDEN']);
  });
});

test('a view whose list has changed since says what is wrong, and may be renamed and repaired', async () => {
  const { id } = await create({ ...failedRuns, name: 'Old' });
  const outdate = (sets: string) =>
    api.database.withTenantSql('acme-shop', async (tx) =>
      tx.query(`UPDATE saved_views SET ${sets} WHERE name IN ('Old', 'Older')`),
    );
  await outdate(`filter = '{"colour": "red", "status": ["LOST"]}'`);
  expect(
    (await list('runs'))
      .find((view) => view.id === id)
      ?.problems.map(({ path }) => path)
      .toSorted(),
  ).toEqual(['filter', 'filter.status.0']);
  expect((await change('updateSavedView', { id, name: 'Older' })).savedView).toMatchObject({
    name: 'Older',
    filter: { colour: 'red', status: ['LOST'] },
  });
  expect((await change('updateSavedView', { id, filter: { status: ['FAILED'] } })).savedView?.problems).toEqual([]);
  await outdate(`list = 'gone'`);
  expect((await list('gone')).map(({ problems }) => problems.map(({ path }) => path))).toEqual([['list']]);
  expect((await change('updateSavedView', { id, columns: ['a'] })).savedView?.columns).toEqual(['a']);
  expect(await change('deleteSavedView', { id })).toMatchObject({ __typename: 'DeleteSavedViewPayload' });
});
