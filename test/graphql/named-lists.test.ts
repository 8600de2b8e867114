import { expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { schema } from '#test/setup/schema.ts';

/** The lists that clients know by these names. */
const lists = [
  'workflows',
  'runs',
  'deadLetters',
  'auditLog',
  'nodes',
  'credentialTypes',
  'credentials',
  'schedules',
  'templates',
  'secrets',
  'stateNamespaces',
];

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

interface Page {
  totalCount: number;
  edges: { cursor: string; node: Record<string, string> }[];
  pageInfo: Record<'startCursor' | 'endCursor', string> & Record<'hasNextPage' | 'hasPreviousPage', boolean>;
}

async function read(list: string, args: string, field: string): Promise<Page> {
  const { data, errors } = await api.graphql<Record<string, Page>>(`{
    ${list}(${args}) {
      totalCount
      edges { cursor node { ${field} } }
      pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
    }
  }`);
  expect(errors).toBeUndefined();
  return data[list] as Page;
}

const texts = ({ edges }: Page, field: string) => edges.map(({ node }) => node[field]);

test.each(lists)('%s is a connection that pages in both directions', async (list) => {
  expect(String(schema.getQueryType()?.getFields()[list]?.type)).toMatch(/Connection!$/);
  const { errors } = await api.graphql(`{
    first: ${list}(first: 1) { edges { cursor node { __typename } } pageInfo { hasNextPage endCursor } }
    last: ${list}(last: 1) { pageInfo { hasPreviousPage startCursor } }
  }`);
  expect(errors).toBeUndefined();
});

test.each(['credentialTypes', 'credentials', 'templates', 'secrets', 'stateNamespaces'])(
  '%s takes no cursor that it did not give',
  async (list) => {
    const cursors = ['zzz', 'text:', 'text:%', 'text:%00', 'text:%ff', 'id:1'].map((text) =>
      Buffer.from(text).toString('base64url'),
    );
    for (const cursor of [...cursors, 'x'.repeat(5_000)]) {
      const { errors } = await api.graphql(`{ ${list}(after: "${cursor}") { edges { cursor } } }`);
      expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED' } }]);
    }
  },
);

test('names in any script are paged to the end and back', async () => {
  const names = ['a', 'A %_', 'b/ü', 'Ω', '注文', '😀', 'z'.repeat(191)];
  for (const name of names) {
    const { data } = await api.graphql<{ createCredential: { __typename: string } }>(
      `mutation ($name: String!) {
        createCredential(input: { credentialTypeSlug: "core:bearer", name: $name, config: { token: "a-token" } }) { __typename }
      }`,
      { name },
    );
    expect(data.createCredential.__typename).toBe('CreateCredentialPayload');
  }
  const whole = await read('credentials', 'first: 100', 'name');
  expect(new Set(texts(whole, 'name'))).toEqual(new Set(names));
  expect(whole).toMatchObject({ totalCount: names.length, pageInfo: { hasNextPage: false, hasPreviousPage: false } });

  const forth: unknown[] = [];
  let page = await read('credentials', 'first: 2', 'name');
  for (;;) {
    forth.push(...texts(page, 'name'));
    if (!page.pageInfo.hasNextPage) break;
    page = await read('credentials', `first: 2, after: "${page.pageInfo.endCursor}"`, 'name');
  }
  expect(forth).toEqual(texts(whole, 'name'));

  const back: unknown[] = [];
  page = await read('credentials', 'last: 3', 'name');
  for (;;) {
    back.unshift(...texts(page, 'name'));
    if (!page.pageInfo.hasPreviousPage) break;
    page = await read('credentials', `last: 3, before: "${page.pageInfo.startCursor}"`, 'name');
  }
  expect(back).toEqual(forth);
});

test('secrets and the catalogue are paged by their keys', async () => {
  for (const key of ['A', 'A_1', 'B', 'Z9']) {
    await api.graphql('mutation ($key: String!) { putSecret(input: { key: $key, value: "v" }) { __typename } }', {
      key,
    });
  }
  for (const [list, field] of [
    ['secrets', 'key'],
    ['credentialTypes', 'slug'],
  ] as const) {
    const whole = await read(list, 'first: 100', field);
    expect(whole.edges.length).toBeGreaterThan(3);
    const rest = await read(list, `first: 100, after: "${whole.edges[1]?.cursor}"`, field);
    expect(texts(rest, field)).toEqual(texts(whole, field).slice(2));
    const head = await read(list, `last: 1, before: "${whole.edges[2]?.cursor}"`, field);
    expect(texts(head, field)).toEqual([texts(whole, field)[1]]);
    expect(rest.totalCount).toBe(whole.edges.length);
  }
});
