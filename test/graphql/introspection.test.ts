import { getIntrospectionQuery } from 'graphql';
import { afterAll, describe, expect } from 'vitest';
import { generateKey } from '#src/infra/vault/key-ring.ts';
import { readEnv } from '#src/process/env.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { schema } from '#test/setup/schema.ts';
import { openFaces } from './transports.ts';

type Faces = Awaited<ReturnType<typeof openFaces>>;
let closed: { api: TestApp; to: Faces };
let open: { api: TestApp; to: Faces };
test.beforeAll(async ({ api, startBeside }) => {
  const withoutIntrospection = await startBeside({ introspection: false });
  closed = { api: withoutIntrospection, to: await openFaces(withoutIntrospection) };
  open = { api, to: await openFaces(api) };
});
afterAll(() => {
  for (const { to } of [closed, open]) to.close();
});

const graphiql = ({ api: { app } }: typeof open) =>
  app.inject({ method: 'GET', url: '/graphql', headers: { accept: 'text/html' } });

/** Mistakes that graphql-js answers with what was perhaps meant, each with a name it must not tell. */
const mistakes: [string, { query: string; variables?: object }, string][] = [
  ['a field', { query: '{ workflowz { totalCount } }' }, 'workflows'],
  ['an argument', { query: '{ runs(frist: 1) { totalCount } }' }, 'first'],
  ['a type', { query: '{ node(id: 1) { ... on Workflo { name } } }' }, 'Workflow'],
  ['an enum’s value', { query: '{ runs(filter: {status: [QUUED]}) { totalCount } }' }, 'QUEUED'],
  [
    'an enum’s value in a variable',
    { query: 'query ($s: [RunStatus!]) { runs(filter: {status: $s}) { totalCount } }', variables: { s: ['QUUED'] } },
    '"QUEUED"',
  ],
  ['an input’s field', { query: '{ runs(filter: {serch: "x"}) { totalCount } }' }, 'search'],
  [
    'an input’s field in a variable',
    { query: 'query ($f: RunFilter) { runs(filter: $f) { totalCount } }', variables: { f: { serch: 'x' } } },
    '"search"',
  ],
  ['a subscription', { query: 'subscription { runUpdate { id } }' }, 'runUpdated'],
  [
    'a subscription’s variable',
    { query: 'subscription ($s: ID!) { runLog(id: $s) { lvel } }', variables: { s: '1' } },
    'level',
  ],
];

describe('with introspection off', () => {
  test.each([
    '{ __schema { types { name } } }',
    '{ __type(name: "Run") { fields { name } } }',
    getIntrospectionQuery(),
  ])('answers no introspection, on either face', async (query) => {
    for (const face of ['http', 'socket'] as const) {
      const { data, errors, status } = await closed.to.ask(face, { query });
      expect(data).toBeUndefined();
      expect(status).toBe(face === 'http' ? 200 : 'socket');
      expect(errors?.[0]?.message).toMatch(/^GraphQL introspection has been disabled/);
      expect(errors?.[0]?.extensions).toEqual({ code: 'BAD_REQUEST' });
    }
  });

  test('answers __typename, which clients add everywhere', async () => {
    expect((await closed.to.ask('http', { query: '{ __typename me { __typename } }' })).data).toEqual({
      __typename: 'Query',
      me: { __typename: 'Me' },
    });
  });

  test.each(mistakes)('suggests no names for %s', async (_name, mistake, secret) => {
    for (const face of ['http', 'socket'] as const) {
      const { errors } = await closed.to.ask(face, mistake);
      const said = JSON.stringify(errors?.map(({ message }) => message));
      expect(said).not.toContain('Did you mean');
      expect(said.replaceAll('\\"', '"')).not.toContain(secret);
      expect(errors?.[0]?.extensions).toEqual({ code: 'BAD_REQUEST' });
    }
  });

  test('has no GraphiQL', async () => {
    const page = await graphiql(closed);
    expect(page.statusCode).not.toBe(200);
    expect(page.headers['content-type']).not.toContain('text/html');
  });
});

describe('with introspection on', () => {
  test('returns the complete schema for the query that tools send', async () => {
    const { data, errors } = await open.to.ask('http', { query: getIntrospectionQuery() });
    expect(errors).toBeUndefined();
    const names = (data as { __schema: { types: { name: string }[] } }).__schema.types.map(({ name }) => name);
    expect(names.toSorted()).toEqual(Object.keys(schema.getTypeMap()).toSorted());
  });

  test.each(mistakes.filter(([name]) => name === 'a field'))('helps with %s', async (_name, mistake, meant) => {
    expect((await open.to.ask('http', mistake)).errors?.[0]?.message).toContain(meant);
  });

  test('shows GraphiQL to a browser', async () => {
    const page = await graphiql(open);
    expect(page.statusCode).toBe(200);
    expect(page.headers['content-type']).toContain('text/html');
  });
});

test('is off in production unless INTROSPECTION says otherwise', () => {
  const keys = { CREDENTIALS_KEY: generateKey(), SECRETS_KEY: generateKey() };
  const production = { ...keys, NODE_ENV: 'production', OIDC_ISSUER: 'https://id.example.com' };
  expect(readEnv(production).INTROSPECTION).toBe(false);
  expect(readEnv({ ...production, INTROSPECTION: '1' }).INTROSPECTION).toBe(true);
});
