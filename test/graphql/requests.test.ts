import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { type Answered, refusal, send, sendInVain, type Sent, unfit } from './requests.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const typename = { query: '{ __typename }' };
const ofSize = (bytes: number) => JSON.stringify(typename).padEnd(bytes);
const MiB = 1024 * 1024;

const csrf = refusal(403, 'Required CSRF header(s) not present', 'FORBIDDEN');
const tooLarge = {
  status: 413,
  body: {
    message: 'The request body is too large.',
    errors: [{ message: 'The request body is too large.', extensions: { code: 'PAYLOAD_TOO_LARGE' } }],
  },
};
const noType = refusal(415, 'Send the request as application/json.');
const onlyGetAndPost = refusal(405, 'GraphQL only supports GET and POST requests.', 'METHOD_NOT_ALLOWED');
const noOperation = refusal(400, 'Could not determine what operation to execute.');

const table: [string, Sent, Answered][] = [
  // Requests that a browser sends across sites without a preflight.
  [
    'a form without a header',
    { bare: true, type: 'application/x-www-form-urlencoded', body: 'query=%7B__typename%7D' },
    csrf,
  ],
  ['plain text without a header', { bare: true, type: 'text/plain', body: typename }, csrf],
  ['a multipart form without a header', { bare: true, type: 'multipart/form-data; boundary=x', body: '--x--' }, csrf],
  ['a GET without a header', { method: 'GET', bare: true, search: typename }, csrf],
  ['a body without a type or header', { bare: true, type: null, body: typename }, csrf],
  // Other content types.
  ['plain text', { type: 'text/plain', body: typename }, noType],
  ['a multipart form', { type: 'multipart/form-data; boundary=x', body: '--x--' }, noType],
  ['XML', { type: 'application/xml', body: '<x/>' }, noType],
  // Methods.
  [
    'a mutation by GET',
    { method: 'GET', search: { query: 'mutation { createWorkflow(input: {name: "x"}) { __typename } }' } },
    refusal(405, 'Can only perform a mutation operation from a POST request.', 'METHOD_NOT_ALLOWED'),
  ],
  ['PUT', { method: 'PUT', body: typename }, onlyGetAndPost],
  ['PATCH', { method: 'PATCH', body: typename }, onlyGetAndPost],
  ['DELETE', { method: 'DELETE' }, onlyGetAndPost],
  // Bodies.
  ['malformed JSON', { body: '{"query":' }, refusal(400, 'POST body sent invalid JSON.')],
  [
    'malformed variables by GET',
    { method: 'GET', search: { ...typename, variables: '{' } },
    refusal(400, 'The variables and extensions must be JSON.'),
  ],
  [
    'malformed extensions by GET',
    { method: 'GET', search: { ...typename, extensions: '{' } },
    refusal(400, 'The variables and extensions must be JSON.'),
  ],
  [
    'malformed variables in a form',
    { type: 'application/x-www-form-urlencoded', body: 'query=%7B__typename%7D&variables=%7B' },
    refusal(400, 'The variables and extensions must be JSON.'),
  ],
  ['an empty body', { body: '' }, refusal(400, 'POST body sent invalid JSON.')],
  ['null', { body: 'null' }, refusal(400, 'POST body is expected to be object but received null')],
  ['a number', { body: '7' }, refusal(400, 'POST body is expected to be object but received number')],
  ['a batch of nothing', { body: [] }, { status: 200, body: [] }],
  [
    'a batch of numbers',
    { body: [7] },
    {
      status: 200,
      body: [
        {
          errors: [
            { message: 'Expected params to be an object but given number.', extensions: { code: 'BAD_REQUEST' } },
          ],
        },
      ],
    },
  ],
  [
    'a parameter nobody knows',
    { body: { ...typename, extra: 1 } },
    refusal(400, 'Unexpected parameter "extra" in the request body.'),
  ],
  ['a body at the limit', { body: ofSize(MiB) }, { status: 200, body: { data: { __typename: 'Query' } } }],
  ['a body past the limit', { body: ofSize(MiB + 1) }, tooLarge],
  // Queries and operations.
  ['no query', { body: {} }, refusal(400, 'Must provide query string.')],
  ['an empty query', { body: { query: '' } }, refusal(200, 'Syntax Error: Unexpected <EOF>.')],
  [
    'a query that is not text',
    { body: { query: 7 } },
    refusal(400, 'Expected "query" param to be a string, but given number.'),
  ],
  ['an unknown operation', { body: { query: 'query A { __typename }', operationName: 'B' } }, noOperation],
  ['an operation name that is not text', { body: { ...typename, operationName: 7 } }, noOperation],
  ['several operations and no name', { body: { query: 'query A { __typename } query B { __typename }' } }, noOperation],
  ['a schema', { body: { query: 'type A { b: Int }' } }, noOperation],
  ['a syntax error', { body: { query: '{ me {' } }, refusal(200, 'Syntax Error: Expected Name, found <EOF>.')],
  [
    'an unknown field',
    { body: { query: '{ mee }' } },
    unfit('Cannot query field "mee" on type "Query". Did you mean "me"?'),
  ],
  [
    'introspection that goes in circles',
    { body: { query: `{ __schema { types ${'{ fields { type '.repeat(5)}{ name }${' } }'.repeat(5)} } }` } },
    {
      status: 200,
      body: {
        errors: expect.arrayContaining([expect.objectContaining({ message: 'Maximum introspection depth exceeded' })]),
      },
    },
  ],
  // Persisted documents.
  [
    'a hash nobody registered',
    { body: { extensions: { persistedQuery: { version: 1, sha256Hash: '__proto__' } } } },
    refusal(200, 'PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND'),
  ],
  [
    'a hash that is not text',
    { body: { extensions: { persistedQuery: { version: 1, sha256Hash: {} } } } },
    refusal(400, 'Must provide query string.'),
  ],
  [
    'extensions that are not an object',
    { body: { ...typename, extensions: 7 } },
    refusal(400, 'Expected "extensions" param to be empty or an object, but given number.'),
  ],
];

describe('a request to /graphql', () => {
  test.each(table)('of %s gets its response and writes nothing', async (_name, sent, expected) => {
    expect(await sendInVain(api, sent)).toEqual(expected);
  });

  test('may be a query by GET or in a form, from a client that sends a header', async () => {
    const form = { type: 'application/x-www-form-urlencoded', body: 'query=%7B__typename%7D' };
    for (const sent of [{ method: 'GET', search: typename } as const, form]) {
      expect(await send(api, sent)).toMatchObject({ status: 200, body: { data: { __typename: 'Query' } } });
    }
  });

  test('is told what it may accept', async () => {
    const response = await api.app.inject({
      method: 'POST',
      url: '/graphql',
      headers: { authorization: `Bearer ${await api.token()}`, accept: 'application/xml' },
      payload: typename,
    });
    expect(response).toMatchObject({ statusCode: 406 });
    expect(response.json()).toEqual({
      errors: [{ message: expect.stringMatching(/^Accept application\/json/), extensions: { code: 'BAD_REQUEST' } }],
    });
  });

  test('answers any other method with those that are allowed', async () => {
    for (const method of ['PUT', 'OPTIONS'] as const) {
      const { allow } = await send(api, { method, body: typename });
      expect(String(allow).split(', ').toSorted()).toEqual(['GET', 'POST']);
    }
  });
});
