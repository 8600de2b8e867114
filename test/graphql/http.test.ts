import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
let bearer: string;
test.beforeAll(async ({ api: started }) => {
  api = started;
  bearer = await api.token();
});

interface Asked {
  /** The body, or its text. */
  body?: unknown;
  headers?: Record<string, string | undefined>;
}

/** A parameter in the content type is all it takes to be answered by Yoga instead. */
const contentTypes = { plain: 'application/json', yoga: 'application/json;face=yoga' };

async function answer(face: keyof typeof contentTypes, { body, headers }: Asked) {
  const given = {
    'content-type': contentTypes[face],
    authorization: `Bearer ${bearer}`,
    'x-tenant-id': 'acme-shop',
    ...headers,
  };
  const response = await api.app.inject({
    method: 'POST',
    url: '/graphql',
    headers: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const { 'content-type': type, allow, accept } = response.headers;
  return { status: response.statusCode, headers: { type, allow, accept }, text: response.body };
}

const me = { query: '{ me { user { idpId } context { tenantId } } }' };
const create = `mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { __typename ... on ValidationError { fields { path messages } } } }`;

const requests: [string, Asked][] = [
  ['a query', { body: me }],
  ['a query with a charset in its type', { body: me, headers: { 'content-type': 'application/json; charset=utf-8' } }],
  ['nulls for variables and operation', { body: { ...me, variables: null, operationName: null } }],
  [
    'a named operation',
    { body: { query: 'query A { me { user { idpId } } } query B { __typename }', operationName: 'B' } },
  ],
  [
    'an operation that is not there',
    { body: { query: 'query A { __typename } query B { __typename }', operationName: 'C' } },
  ],
  [
    'variables of the wrong type',
    { body: { query: 'query ($id: ID!) { workflow(id: $id) { id } }', variables: { id: [1] } } },
  ],
  ['a missing variable', { body: { query: 'query ($id: ID!) { workflow(id: $id) { id } }' } }],
  ['a typed failure', { body: { query: create, variables: { input: { name: '' } } } }],
  ['an error of one field', { body: { query: '{ me { user { idpId } } node(id: "bm9uc2Vuc2U=") { id } }' } }],
  ['a malformed id', { body: { query: '{ run(id: "x") { id } }' } }],
  ['a syntax error', { body: { query: '{ me {' } }],
  ['an unknown field', { body: { query: '{ nothing }' } }],
  [
    'a document too deep',
    { body: { query: `{ __schema { types ${'{ fields { type '.repeat(15)}{ name }${' } }'.repeat(15)} } }` } },
  ],
  ['a document too long', { body: { query: `{ ${'__typename '.repeat(4_000)} }` } }],
  [
    'too many aliases',
    { body: { query: `{ ${Array.from({ length: 40 }, (_, n) => `a${n}: __typename`).join(' ')} }` } },
  ],
  ['a bad token', { body: me, headers: { authorization: 'Bearer nonsense' } }],
  ['another scheme', { body: me, headers: { authorization: 'Basic abc' } }],
  ['no token', { body: me, headers: { authorization: undefined } }],
  ['no token and no other header', { body: me, headers: { authorization: undefined, 'x-tenant-id': undefined } }],
  ['no tenant', { body: { query: '{ workflows { totalCount } }' }, headers: { 'x-tenant-id': undefined } }],
  ['a subscription', { body: { query: 'subscription { nothing }' } }],
  ['malformed JSON', { body: '{"query":' }],
  ['no body', { body: '' }],
  ['null', { body: 'null' }],
  ['a number', { body: '7' }],
  ['a batch', { body: [me, me] }],
  ['a batch too large', { body: Array.from({ length: 6 }, () => me) }],
  ['no query', { body: {} }],
  ['a query that is not text', { body: { query: 7 } }],
  ['variables that are a list', { body: { ...me, variables: [] } }],
  ['a parameter nobody knows', { body: { ...me, extra: 1 } }],
  ['an unknown persisted document', { body: { extensions: { persistedQuery: { version: 1, sha256Hash: 'abc' } } } }],
  ['a key that would change prototypes', { body: '{"query":"{ __typename }","variables":{"__proto__":{"a":1}}}' }],
];
const accepts = [
  undefined,
  '*/*',
  'application/json',
  'application/json, text/plain, */*',
  'application/graphql-response+json',
  'application/graphql-response+json, application/json;q=0.9',
  'application/graphql-response+json;charset=utf-8, application/json',
  'application/json, text/event-stream',
  '*/*, application/graphql-response+json',
  'text/html',
  'image/png',
];

describe('GraphQL over HTTP', () => {
  test.each(requests)('answers %s like Yoga does, whatever is accepted', async (_name, asked) => {
    for (const accept of accepts) {
      const with_ = { ...asked, headers: { ...asked.headers, ...(accept !== undefined && { accept }) } };
      const viaYoga = { ...with_, headers: { ...with_.headers, 'content-type': contentTypes.yoga } };
      const [plain, yoga] = [await answer('plain', with_), await answer('yoga', viaYoga)];
      expect(plain, `accept: ${accept}`).toEqual(yoga);
    }
  });

  test.each(['plain', 'yoga'] as const)('refuses a token that is not good with 401 (%s)', async (face) => {
    for (const accept of ['application/json', 'application/graphql-response+json', 'text/event-stream']) {
      for (const authorization of ['Bearer nonsense', 'Basic abc', 'nonsense']) {
        const { status, text } = await answer(face, { body: me, headers: { authorization, accept } });
        expect([accept, status]).toEqual([accept, 401]);
        expect(text).toContain(
          '{"errors":[{"message":"Unauthenticated.","extensions":{"code":"UNAUTHENTICATED","hint":"',
        );
      }
    }
  });

  test.each([
    ['application/json', Buffer.from('{"query":"{ __typename } # \xff\xfe"}', 'latin1')],
    ['application/json; charset=iso-8859-1', Buffer.from('{"query":"{ __typename } # é"}', 'latin1')],
    ['application/x-www-form-urlencoded', Buffer.from('query={ __typename }%23%ff')],
  ])('refuses a body of %s that is not UTF-8', async (type, payload) => {
    const headers = { 'content-type': type, authorization: `Bearer ${bearer}` };
    const response = await api.app.inject({ method: 'POST', url: '/graphql', headers, payload });
    expect(response).toMatchObject({ statusCode: 400 });
    const message = expect.stringContaining('UTF-8');
    expect(response.json()).toEqual({ message, errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] });
  });

  test('answers a plain query without the objects of the Fetch API', async () => {
    const response = await api.app.inject({
      method: 'POST',
      url: '/graphql',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
      payload: JSON.stringify({ query: '{ __typename }' }),
    });
    // Yoga's answers are streams, which have no length.
    expect(response.headers['content-length']).toBe(String(Buffer.byteLength('{"data":{"__typename":"Query"}}')));
    expect(response.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});
