import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '#test/setup/app.ts';

let api: TestApp;
let bearer: string;
beforeAll(async () => {
  api = await startTestApp();
  bearer = await api.token();
});
afterAll(() => api.close());

interface Sent {
  method?: 'GET' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** Of the query string. */
  search?: Record<string, string>;
  type?: string | null;
  /** Without the headers that tell a client from a form. */
  bare?: true;
  roles?: string[];
  body?: unknown;
}

async function send({ method, search, type = 'application/json', bare, roles, body }: Sent) {
  const headers = {
    ...(type !== null && body !== undefined && { 'content-type': type }),
    ...(!bare && {
      authorization: `Bearer ${roles ? await api.token({ roles }) : bearer}`,
      'x-tenant-id': 'acme-shop',
    }),
  };
  const response = await api.app.inject({
    method: method ?? 'POST',
    url: `/graphql${search ? `?${new URLSearchParams(search)}` : ''}`,
    headers,
    ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return {
    status: response.statusCode,
    body: response.body && (response.json() as unknown),
    headers: response.headers,
  };
}

/** Rows of every table, so that whatever was written shows. */
async function rowCounts(): Promise<Record<string, number>> {
  const { rows } = await api.database.system.query<{ name: string; rows: number }>(
    `SELECT relname AS name, (xpath('/row/n/text()', query_to_xml(format('SELECT count(*) AS n FROM %I.%I', nspname, relname), false, true, '')))[1]::text::int AS rows
     FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = 'public' AND relkind IN ('r', 'p') AND NOT relispartition
       AND has_table_privilege(c.oid, 'SELECT')`,
  );
  return Object.fromEntries(rows.filter(({ name }) => name !== 'users').map(({ name, rows }) => [name, rows]));
}

const refusal = (status: number, message: string, code = 'BAD_REQUEST') => ({
  status,
  body: { errors: [{ message, extensions: { code } }] },
});
const refused = (message: string) => ({
  status: 400,
  body: { errors: [{ message, locations: expect.any(Array), extensions: { code: 'BAD_REQUEST' } }] },
});
const inData = (code: string, more: object = {}) => ({
  status: 200,
  body: {
    data: expect.toSatisfy((data) => data === null || Object.values(data)[0] === null),
    errors: [expect.objectContaining({ extensions: { code, ...more } })],
  },
});
const unstorable = { body: ['Text must not hold NUL characters or lone surrogates.'] };

const typename = { query: '{ __typename }' };
const create = 'mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { __typename } }';
const fire = 'mutation ($input: FireWebhookInput!) { fireWebhook(input: $input) { __typename } }';
const firing = (payload: string) =>
  `{"query":${JSON.stringify(fire)},"variables":{"input":{"handle":"nobody","payload":${payload}}}}`;
const withVariable = (type: string, field: string, value: unknown) => ({
  query: `query ($v: ${type}) { ${field} }`,
  variables: { v: value },
});
const ofSize = (bytes: number) => JSON.stringify(typename).padEnd(bytes);
const notFoundFiring = { status: 200, body: { data: { fireWebhook: { __typename: 'NotFoundError' } } } };
const MiB = 1024 * 1024;

const csrf = refusal(403, 'Required CSRF header(s) not present', 'FORBIDDEN');
const tooLarge = {
  status: 413,
  body: {
    message: 'The request body is too large.',
    errors: [{ message: 'The request body is too large.', extensions: { code: 'PAYLOAD_TOO_LARGE' } }],
  },
};
const noType = { status: 415, body: '' };
const instant = 'Use an ISO 8601 instant, e.g. 2026-01-31T12:00:00Z.';
const noOperation = refusal(400, 'Could not determine what operation to execute.');

const table: [string, Sent, { status: number; body: unknown }][] = [
  // What a browser sends across sites without asking first.
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
    refusal(405, 'Can only perform a mutation operation from a POST request.'),
  ],
  ['PUT', { method: 'PUT', body: typename }, refusal(405, 'GraphQL only supports GET and POST requests.')],
  ['PATCH', { method: 'PATCH', body: typename }, refusal(405, 'GraphQL only supports GET and POST requests.')],
  ['DELETE', { method: 'DELETE' }, refusal(405, 'GraphQL only supports GET and POST requests.')],
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
  ['an empty query', { body: { query: '' } }, refusal(400, 'Syntax Error: Unexpected <EOF>.')],
  [
    'a query that is no text',
    { body: { query: 7 } },
    refusal(400, 'Expected "query" param to be a string, but given number.'),
  ],
  ['an unknown operation', { body: { query: 'query A { __typename }', operationName: 'B' } }, noOperation],
  ['an operation name that is no text', { body: { ...typename, operationName: 7 } }, noOperation],
  ['several operations and no name', { body: { query: 'query A { __typename } query B { __typename }' } }, noOperation],
  ['a schema', { body: { query: 'type A { b: Int }' } }, noOperation],
  ['a syntax error', { body: { query: '{ me {' } }, refusal(400, 'Syntax Error: Expected Name, found <EOF>.')],
  [
    'an unknown field',
    { body: { query: '{ mee }' } },
    refused('Cannot query field "mee" on type "Query". Did you mean "me"?'),
  ],
  [
    'introspection that goes in circles',
    { body: { query: `{ __schema { types ${'{ fields { type '.repeat(5)}{ name }${' } }'.repeat(5)} } }` } },
    {
      status: 400,
      body: {
        errors: expect.arrayContaining([expect.objectContaining({ message: 'Maximum introspection depth exceeded' })]),
      },
    },
  ],
  // Variables.
  [
    'variables that are a list',
    { body: { ...typename, variables: [] } },
    refusal(400, 'Expected "variables" param to be empty or an object, but given array.'),
  ],
  [
    'text for an Int',
    { body: withVariable('Int', 'runs(first: $v) { totalCount }', '1') },
    refused('Variable "$v" got invalid value "1"; Int cannot represent non-integer value: "1"'),
  ],
  [
    'a fraction for an Int',
    { body: withVariable('Int', 'runs(first: $v) { totalCount }', 1.5) },
    refused('Variable "$v" got invalid value 1.5; Int cannot represent non-integer value: 1.5'),
  ],
  [
    '2^31 for an Int',
    { body: withVariable('Int', 'runs(first: $v) { totalCount }', 2 ** 31) },
    refused(
      'Variable "$v" got invalid value 2147483648; Int cannot represent non 32-bit signed integer value: 2147483648',
    ),
  ],
  [
    'a number no double holds for an Int',
    { body: '{"query":"query ($v: Int) { runs(first: $v) { totalCount } }","variables":{"v":1e400}}' },
    refused('Variable "$v" got invalid value Infinity; Int cannot represent non-integer value: Infinity'),
  ],
  [
    'a page of none',
    { body: withVariable('Int', 'runs(first: $v) { totalCount }', 0) },
    inData('VALIDATION_FAILED', { fields: { first: ['Ask for at least 1.'] } }),
  ],
  [
    'a cursor of another list',
    { body: withVariable('String', 'workflows(after: $v) { totalCount }', 'bm9uZQ==') },
    inData('VALIDATION_FAILED', { fields: { cursor: ['The cursor is not one this list gave out.'] } }),
  ],
  [
    'an object for an ID',
    { body: withVariable('ID!', 'run(id: $v) { id }', {}) },
    refused('Variable "$v" got invalid value {}; ID cannot represent value: {}'),
  ],
  [
    'a fraction for an ID',
    { body: withVariable('ID!', 'run(id: $v) { id }', 1.5) },
    refused('Variable "$v" got invalid value 1.5; ID cannot represent value: 1.5'),
  ],
  [
    'null for an ID',
    { body: withVariable('ID!', 'run(id: $v) { id }', null) },
    refused('Variable "$v" of non-null type "ID!" must not be null.'),
  ],
  ['an ID of NUL', { body: withVariable('ID!', 'run(id: $v) { id }', '\0') }, inData('NOT_FOUND')],
  [
    'an ID of a thousand digits',
    { body: withVariable('ID!', 'run(id: $v) { id }', '9'.repeat(1_000)) },
    inData('NOT_FOUND'),
  ],
  [
    'a global ID of another type',
    { body: withVariable('ID!', 'run(id: $v) { id }', Buffer.from('Workflow:1').toString('base64')) },
    inData('NOT_FOUND'),
  ],
  [
    'text for a DateTime',
    { body: withVariable('DateTime', 'runs(filter: {since: $v}) { totalCount }', 'soon') },
    refused(`Variable "$v" got invalid value "soon"; Expected type "DateTime". ${instant}`),
  ],
  [
    'a number for a DateTime',
    { body: withVariable('DateTime', 'runs(filter: {since: $v}) { totalCount }', 1) },
    refused(`Variable "$v" got invalid value 1; Expected type "DateTime". ${instant}`),
  ],
  [
    'a day there never was',
    { body: { query: '{ runs(filter: {since: "2026-13-45"}) { totalCount } }' } },
    refused(`Expected value of type "DateTime", found "2026-13-45"; ${instant}`),
  ],
  [
    'text for a Long',
    { body: withVariable('Long', 'run(id: 1) { logs(after: $v) { message } }', '1') },
    refused('Variable "$v" got invalid value "1"; Expected type "Long". Use a whole number below 2^53.'),
  ],
  [
    '2^53 for a Long',
    { body: withVariable('Long', 'run(id: 1) { logs(after: $v) { message } }', 2 ** 53) },
    refused('Variable "$v" got invalid value 9007199254740992; Expected type "Long". Use a whole number below 2^53.'),
  ],
  [
    'a Long of twenty digits',
    { body: { query: '{ run(id: 1) { logs(after: 99999999999999999999) { message } } }' } },
    refused('Expected value of type "Long", found 99999999999999999999; Use a whole number below 2^53.'),
  ],
  [
    'a value an enum has not',
    { body: withVariable('[RunStatus!]', 'runs(filter: {status: $v}) { totalCount }', ['done']) },
    refused('Variable "$v" got invalid value "done" at "v[0]"; Value "done" does not exist in "RunStatus" enum.'),
  ],
  [
    'a field an input has not',
    { body: { query: create, variables: { input: { name: 'a', nmae: 'b' } } } },
    refused(
      'Variable "$input" got invalid value { name: "a", nmae: "b" }; Field "nmae" is not defined by type "CreateWorkflowInput". Did you mean "name"?',
    ),
  ],
  [
    '__proto__ in an input',
    { body: `{"query":${JSON.stringify(create)},"variables":{"input":{"name":"a","__proto__":{"active":false}}}}` },
    refused(
      'Variable "$input" got invalid value { name: "a", __proto__: { active: false } }; Field "__proto__" is not defined by type "CreateWorkflowInput".',
    ),
  ],
  [
    '__proto__ as a variable',
    { body: '{"query":"query ($__proto__: Int) { __typename }","variables":{"__proto__":{"a":1}}}' },
    refused('Variable "$__proto__" is never used.'),
  ],
  [
    'text that is an upload',
    {
      roles: ['operator'],
      body: {
        query: 'mutation ($a: Upload!) { uploadNodePackage(input: {orgId: "acme", archive: $a}) { __typename } }',
        variables: { a: '!' },
      },
    },
    { status: 400, body: { errors: [expect.objectContaining({ extensions: { code: 'BAD_REQUEST' } })] } },
  ],
  // Text that no database takes.
  [
    'NUL in a search',
    { body: withVariable('String', 'workflows(search: $v) { totalCount }', '\0') },
    inData('VALIDATION_FAILED', { fields: unstorable }),
  ],
  [
    'half a pair in a search',
    { body: withVariable('String', 'workflows(search: $v) { totalCount }', '\ud800') },
    inData('VALIDATION_FAILED', { fields: unstorable }),
  ],
  [
    'the other half in a search',
    { body: withVariable('String', 'workflows(search: $v) { totalCount }', 'a\udc00b') },
    inData('VALIDATION_FAILED', { fields: unstorable }),
  ],
  [
    'NUL in a name',
    { body: { query: create, variables: { input: { name: 'a\0' } } } },
    inData('VALIDATION_FAILED', { fields: unstorable }),
  ],
  [
    'half a pair in a name',
    { body: { query: create, variables: { input: { name: '\ud800' } } } },
    inData('VALIDATION_FAILED', { fields: unstorable }),
  ],
  // Free JSON.
  [
    '__proto__ in JSON',
    { body: firing('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') },
    notFoundFiring,
  ],
  ['JSON at its depth', { body: firing(`${'['.repeat(128)}${']'.repeat(128)}`) }, notFoundFiring],
  [
    'JSON past its depth',
    { body: firing(`${'['.repeat(129)}${']'.repeat(129)}`) },
    {
      status: 400,
      body: {
        errors: [
          expect.objectContaining({
            message: expect.stringMatching(/Expected type "JSON". JSON may be at most 128 levels deep.$/),
          }),
        ],
      },
    },
  ],
  [
    'JSON as deep as a body is long',
    { body: firing(`${'['.repeat(400_000)}${']'.repeat(400_000)}`) },
    { status: 400, body: { errors: [expect.objectContaining({ extensions: { code: 'BAD_REQUEST' } })] } },
  ],
  [
    'a number no double holds in JSON',
    { body: firing('{"a":-1e999}') },
    refused(
      'Variable "$input" got invalid value { a: -Infinity } at "input.payload"; Expected type "JSON". Numbers must fit a double; send larger ones as text.',
    ),
  ],
  [
    'such a number as a literal',
    { body: { query: 'mutation { fireWebhook(input: {handle: "nobody", payload: [1e999]}) { __typename } }' } },
    refused('Expected value of type "JSON", found [1e999]; Numbers must fit a double; send larger ones as text.'),
  ],
  // Persisted documents.
  [
    'a hash nobody registered',
    { body: { extensions: { persistedQuery: { version: 1, sha256Hash: '__proto__' } } } },
    refusal(200, 'PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND'),
  ],
  [
    'a hash that is none',
    { body: { extensions: { persistedQuery: { version: 1, sha256Hash: {} } } } },
    refusal(400, 'Must provide query string.'),
  ],
  [
    'extensions that are no object',
    { body: { ...typename, extensions: 7 } },
    refusal(400, 'Expected "extensions" param to be empty or an object, but given number.'),
  ],
];

describe('a request to /graphql', () => {
  it.each(table)('of %s gets its answer and writes nothing', async (_name, sent, expected) => {
    const before = await rowCounts();
    const { status, body } = await send(sent);
    expect({ status, body }).toEqual(expected);
    expect(await rowCounts()).toEqual(before);
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  it('may be a query by GET or in a form, from a client that sends a header', async () => {
    const expected = { status: 200, body: { data: { __typename: 'Query' } } };
    expect(await send({ method: 'GET', search: typename })).toMatchObject(expected);
    expect(await send({ type: 'application/x-www-form-urlencoded', body: 'query=%7B__typename%7D' })).toMatchObject(
      expected,
    );
  });

  it('names the methods there are to any other', async () => {
    for (const method of ['PUT', 'OPTIONS'] as const) {
      const { headers } = await send({ method, body: typename });
      expect(String(headers['allow']).split(', ').toSorted()).toEqual(['GET', 'POST']);
    }
  });

  it('keeps JSON as it came, whatever its keys are called', async () => {
    const payload = JSON.parse('{"__proto__":{"a":1},"then":"now","toString":null,"big":1e300}') as object;
    const workflow = await api.graphql<{ createWorkflow: { workflow: { id: string } } }>(
      'mutation { createWorkflow(input: {name: "Kept"}) { ... on CreateWorkflowPayload { workflow { id } } } }',
    );
    const made = await api.graphql<{ createTrigger: { trigger: { handle: string } } }>(
      'mutation ($id: ID!) { createTrigger(input: {workflowId: $id, type: webhook, name: "Hook"}) { ... on CreateTriggerPayload { trigger { handle } } } }',
      { id: workflow.data.createWorkflow.workflow.id },
    );
    await send({ body: firing(JSON.stringify(payload)).replace('nobody', made.data.createTrigger.trigger.handle) });
    const { data } = await api.graphql<{ deadLetters: { edges: { node: { payload: unknown } }[] } }>(
      '{ deadLetters(first: 1) { edges { node { payload } } } }',
    );
    expect(JSON.stringify(data.deadLetters.edges[0]?.node.payload)).toContain('"__proto__":{"a":1}');
    expect(data.deadLetters.edges[0]?.node.payload).toEqual(payload);
  });
});
