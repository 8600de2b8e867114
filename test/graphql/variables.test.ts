import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { makeRun, makeWorkflow } from '#test/setup/runs.ts';
import {
  type Answered,
  createWorkflow,
  firing,
  inData,
  refusal,
  send,
  sendInVain,
  type Sent,
  unfit,
} from './requests.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const typename = { query: '{ __typename }' };
const withVariable = (type: string, field: string, value: unknown) => ({
  query: `query ($v: ${type}) { ${field} }`,
  variables: { v: value },
});
const notFoundFiring = { status: 200, body: { data: { fireWebhook: { __typename: 'NotFoundError' } } } };
const instant = 'Use an ISO 8601 instant, e.g. 2026-01-31T12:00:00Z.';
const noRun = { status: 200, body: { data: { run: null } } };
const unstorable = { body: ['Text must not hold NUL characters or lone surrogates.'] };

const table: [string, Sent, Answered][] = [
  // Variables.
  [
    'variables that are a list',
    { body: { ...typename, variables: [] } },
    refusal(400, 'Expected "variables" param to be empty or an object, but given array.'),
  ],
  [
    'text for an Int',
    { body: withVariable('Int', 'runs(first: $v) { totalCount }', '1') },
    unfit('Variable "$v" got invalid value "1"; Int cannot represent non-integer value: "1"'),
  ],
  [
    'a fraction for an Int',
    { body: withVariable('Int', 'runs(first: $v) { totalCount }', 1.5) },
    unfit('Variable "$v" got invalid value 1.5; Int cannot represent non-integer value: 1.5'),
  ],
  [
    '2^31 for an Int',
    { body: withVariable('Int', 'runs(first: $v) { totalCount }', 2 ** 31) },
    unfit(
      'Variable "$v" got invalid value 2147483648; Int cannot represent non 32-bit signed integer value: 2147483648',
    ),
  ],
  [
    'a number no double holds for an Int',
    { body: '{"query":"query ($v: Int) { runs(first: $v) { totalCount } }","variables":{"v":1e400}}' },
    unfit('Variable "$v" got invalid value "1e400"; Int cannot represent non-integer value: "1e400"'),
  ],
  [
    'a page of none',
    { body: withVariable('Int', 'runs(first: $v) { totalCount }', 0) },
    inData('VALIDATION_FAILED', { fields: { first: ['Ask for 1 to 100; use a cursor to go further.'] } }),
  ],
  [
    'a cursor of another list',
    { body: withVariable('String', 'workflows(after: $v) { totalCount }', 'bm9uZQ==') },
    inData('VALIDATION_FAILED', { fields: { after: ['The cursor is not one this list gave out in this order.'] } }),
  ],
  [
    'an object for an ID',
    { body: withVariable('ID!', 'run(id: $v) { id }', {}) },
    unfit('Variable "$v" got invalid value {}; ID cannot represent value: {}'),
  ],
  [
    'a fraction for an ID',
    { body: withVariable('ID!', 'run(id: $v) { id }', 1.5) },
    unfit('Variable "$v" got invalid value 1.5; ID cannot represent value: 1.5'),
  ],
  [
    'null for an ID',
    { body: withVariable('ID!', 'run(id: $v) { id }', null) },
    unfit('Variable "$v" of non-null type "ID!" must not be null.'),
  ],
  ['an ID of NUL', { body: withVariable('ID!', 'run(id: $v) { id }', '\0') }, noRun],
  ['an ID of a thousand digits', { body: withVariable('ID!', 'run(id: $v) { id }', '9'.repeat(1_000)) }, noRun],
  [
    'a global ID of another type',
    { body: withVariable('ID!', 'run(id: $v) { id }', Buffer.from('Workflow:1').toString('base64')) },
    noRun,
  ],
  [
    'an ID of NUL for what a list is narrowed by',
    { body: withVariable('ID!', 'runs(filter: {workflowId: $v}) { totalCount }', '\0') },
    inData('NOT_FOUND'),
  ],
  [
    'text for a DateTime',
    { body: withVariable('DateTime', 'runs(filter: {since: $v}) { totalCount }', 'soon') },
    unfit(`Variable "$v" got invalid value "soon"; ${instant}`),
  ],
  [
    'a number for a DateTime',
    { body: withVariable('DateTime', 'runs(filter: {since: $v}) { totalCount }', 1) },
    unfit(`Variable "$v" got invalid value 1; ${instant}`),
  ],
  [
    'a day there never was',
    { body: { query: '{ runs(filter: {since: "2026-13-45"}) { totalCount } }' } },
    unfit(`Expected value of type "DateTime", found "2026-13-45"; ${instant}`),
  ],
  ...['2026-02-30', '2026-01-01junk', '0000-01-01', '0001-01-01T00:00:00+14:00', '9999-12-31T23:59:59-14:00'].map(
    (text): [string, Sent, Answered] => [
      `${text} for a DateTime`,
      { body: withVariable('DateTime', 'deadLetters(filter: {since: $v}) { totalCount }', text) },
      unfit(`Variable "$v" got invalid value "${text}"; ${instant}`),
    ],
  ),
  [
    'text for a Long',
    { body: withVariable('Long', 'run(id: 1) { logs(after: $v) { message } }', '1') },
    unfit('Variable "$v" got invalid value "1"; Use a whole number below 2^53.'),
  ],
  [
    '2^53 for a Long',
    { body: withVariable('Long', 'run(id: 1) { logs(after: $v) { message } }', 2 ** 53) },
    unfit('Variable "$v" got invalid value "9007199254740992"; Use a whole number below 2^53.'),
  ],
  [
    'a Long of twenty digits',
    { body: { query: '{ run(id: 1) { logs(after: 99999999999999999999) { message } } }' } },
    unfit('Expected value of type "Long", found 99999999999999999999; Use a whole number below 2^53.'),
  ],
  [
    'a value an enum has not',
    { body: withVariable('[RunStatus!]', 'runs(filter: {status: $v}) { totalCount }', ['done']) },
    unfit('Variable "$v" got invalid value "done" at "v[0]"; Value "done" does not exist in "RunStatus" enum.'),
  ],
  [
    'a field an input has not',
    { body: { query: createWorkflow, variables: { input: { name: 'a', nmae: 'b' } } } },
    unfit(
      'Variable "$input" got invalid value { name: "a", nmae: "b" }; Field "nmae" is not defined by type "CreateWorkflowInput". Did you mean "name"?',
    ),
  ],
  [
    '__proto__ in an input',
    {
      body: `{"query":${JSON.stringify(createWorkflow)},"variables":{"input":{"name":"a","__proto__":{"active":false}}}}`,
    },
    unfit(
      'Variable "$input" got invalid value { name: "a", __proto__: { active: false } }; Field "__proto__" is not defined by type "CreateWorkflowInput".',
    ),
  ],
  [
    '__proto__ as a variable',
    { body: '{"query":"query ($__proto__: Int) { __typename }","variables":{"__proto__":{"a":1}}}' },
    unfit('Variable "$__proto__" is never used.'),
  ],
  [
    'text that is an upload',
    {
      roles: ['operator'],
      body: {
        query: 'mutation ($a: Base64!) { uploadNodePackage(input: {orgId: "acme", archive: $a}) { __typename } }',
        variables: { a: '!' },
      },
    },
    { status: 200, body: { errors: [expect.objectContaining({ extensions: { code: 'BAD_REQUEST' } })] } },
  ],
  // Text that no database takes.
  [
    'NUL in a search',
    { body: withVariable('String', 'workflows(filter: { search: $v }) { totalCount }', '\0') },
    inData('VALIDATION_FAILED', { fields: { search: unstorable.body } }),
  ],
  [
    'half a pair in a search',
    { body: withVariable('String', 'workflows(filter: { search: $v }) { totalCount }', '\ud800') },
    inData('VALIDATION_FAILED', { fields: { search: unstorable.body } }),
  ],
  [
    'the other half in a search',
    { body: withVariable('String', 'workflows(filter: { search: $v }) { totalCount }', 'a\udc00b') },
    inData('VALIDATION_FAILED', { fields: { search: unstorable.body } }),
  ],
  [
    'NUL in a name',
    { body: { query: createWorkflow, variables: { input: { name: 'a\0' } } } },
    { status: 200, body: { data: { createWorkflow: { __typename: 'ValidationError' } } } },
  ],
  [
    'half a pair in a name',
    { body: { query: createWorkflow, variables: { input: { name: '\ud800' } } } },
    { status: 200, body: { data: { createWorkflow: { __typename: 'ValidationError' } } } },
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
      status: 200,
      body: {
        errors: [
          expect.objectContaining({
            message: expect.stringMatching(/JSON may be at most 128 levels deep.$/),
          }),
        ],
      },
    },
  ],
  [
    'JSON as deep as a body is long',
    { body: firing(`${'['.repeat(400_000)}${']'.repeat(400_000)}`) },
    { status: 200, body: { errors: [expect.objectContaining({ extensions: { code: 'BAD_REQUEST' } })] } },
  ],
  ['a number no double holds in JSON', { body: firing('{"a":-1e999}') }, notFoundFiring],
  [
    'such a number as a literal',
    { body: { query: 'mutation { fireWebhook(input: {handle: "nobody", payload: [1e999]}) { __typename } }' } },
    notFoundFiring,
  ],
];

describe('a variable', () => {
  test.each(table)('such as %s gets its response and writes nothing', async (_name, sent, expected) => {
    expect(await sendInVain(api, sent)).toEqual(expected);
  });

  test('may not be null for an argument with a default, which is detected only when the field is reached', async () => {
    const id = await makeRun(api.deps, 'acme-shop', await makeWorkflow(api.deps, 'acme-shop', 'Logged'));
    const query = 'query ($id: ID!, $v: Int) { run(id: $id) { logs(first: $v) { message } } }';
    const { status, body } = await send(api, { body: { query, variables: { id, v: null } } });
    expect({ status, body }).toEqual(inData('BAD_REQUEST'));
    expect(body).toMatchObject({ errors: [{ message: expect.stringMatching(/^Argument "first" of non-null type/) }] });
  });

  test('of JSON is kept unchanged, whatever its keys are', async () => {
    const payload = JSON.parse('{"__proto__":{"a":1},"then":"now","toString":null,"big":1e300}') as object;
    const made = await api.graphql<{ createTrigger: { trigger: { handle: string } } }>(
      'mutation ($id: ID!) { createTrigger(input: {workflowId: $id, type: WEBHOOK, name: "Hook"}) { ... on CreateTriggerPayload { trigger { handle } } } }',
      { id: await makeUnbuilt() },
    );
    await send(api, { body: firing(JSON.stringify(payload), made.data.createTrigger.trigger.handle) });
    const { data } = await api.graphql<{ deadLetters: { edges: { node: { payload: unknown } }[] } }>(
      '{ deadLetters(first: 1) { edges { node { payload } } } }',
    );
    expect(JSON.stringify(data.deadLetters.edges[0]?.node.payload)).toContain('"__proto__":{"a":1}');
    expect(data.deadLetters.edges[0]?.node.payload).toEqual(payload);
  });
});

/** A workflow that cannot run yet, so that a firing is kept as a dead letter. */
async function makeUnbuilt(): Promise<string> {
  const { data } = await api.graphql<{ createWorkflow: { workflow: { id: string } } }>(
    'mutation { createWorkflow(input: {name: "Unbuilt"}) { ... on CreateWorkflowPayload { workflow { id } } } }',
  );
  return data.createWorkflow.workflow.id;
}
