import { expect, test } from 'vitest';
import type { ApiCall } from '#src/automation/node-api/api-call.ts';
import { startCalls } from './sent-calls.ts';

const calls = await startCalls();

const call = {
  path: '',
  method: 'POST',
  fixed_body: { query: 'query { orders { nodes { id } pageInfo { endCursor } } }' },
  answers: [
    { status: '2XX', branch: 'success' },
    { status: 'default', branch: 'other' },
  ],
};
const paging = {
  by: 'cursor' as const,
  items: ['data', 'orders', 'nodes'],
  cursor: ['data', 'orders', 'pageInfo', 'endCursor'],
};
const paged = { ...call, paging: { ...paging, param: 'variables.after', in: 'body' as const } };
const refused = [{ message: 'Access denied\nfor orders.' }, { message: 'Try later.' }];
const throttled = [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }];

interface Sent {
  edges?: string[];
  config?: Record<string, unknown>;
  of?: Partial<ApiCall>;
  status?: number;
}

const send = (body: object, { edges = ['success'], config = {}, of = call, status = 200 }: Sent = {}) => {
  calls.answerWith(() => ({ status, body }));
  return calls.send(of, config, { edges });
};

test.each([
  ['no data', { errors: refused }, { code: 'GRAPHQL_ERRORS', retryable: false }],
  ['data that is null', { data: null, errors: refused }, { code: 'GRAPHQL_ERRORS' }],
  ['a field that is null', { data: { orders: null }, errors: refused }, { code: 'GRAPHQL_ERRORS' }],
  ['a limit of the rate', { errors: throttled }, { code: 'GRAPHQL_ERRORS', retryable: true }],
])('errors with %s fail the step', async (_what, body, error) => {
  await expect(send(body)).rejects.toMatchObject({ ...error, details: { status: 200, body } });
});

test('the messages of the server are in the error, whatever the status is', async () => {
  const { host } = new URL(calls.url);
  const said = 'Access denied for orders.; Try later.';
  await expect(send({ errors: refused })).rejects.toThrow(`POST ${host} answered with errors: ${said}`);
  await expect(send({ errors: refused }, { status: 400 })).rejects.toThrow(`POST ${host} answered 400: ${said}`);
  await expect(send({ errors: ['?'] })).rejects.toThrow(`POST ${host} answered with errors.`);
});

test.each([
  ['one answer', {}, call],
  ['all pages', { all_pages: true }, paged],
])('a workflow can handle the errors of %s', async (_what, config, of) => {
  const result = await send({ data: null, errors: refused }, { edges: ['success', 'other'], config, of });
  expect(result).toMatchObject({ branch: 'other', outputs: { body: { errors: refused } } });
});

test.each([
  ['data beside errors', { data: { orders: { nodes: [] } }, errors: refused }, call],
  ['data that is null without errors', { data: { orders: null } }, call],
  ['an empty list of errors', { data: null, errors: [] }, call],
  ['an API that is not GraphQL', { errors: refused }, { method: 'POST', path: '', answers: call.answers }],
])('%s is a success', async (_what, body, of) => {
  expect(await send(body, { of })).toMatchObject({ branch: 'success', outputs: { body } });
});
