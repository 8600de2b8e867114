import { GraphQLError } from 'graphql';
import pg from 'pg';
import { describe, expect } from 'vitest';
import { refusalAnswer } from '#rest/answer.ts';
import { type Refusal, toRefusal, refusalOfFailure } from '#rest/errors.ts';
import { accessError, AppError, type ErrorCode, errorCodes, ValidationError } from '#src/infra/errors.ts';
import { test } from '#test/setup/app-test.ts';
import { serviceApi } from '#test/setup/rest-apis.ts';
import { call } from './rest.ts';

const codes = Object.entries(errorCodes) as [ErrorCode, { status: number; message: string }][];
const located = (extensions: Record<string, unknown>, message = 'x') =>
  new GraphQLError(message, { path: ['a'], extensions });

/** The response that a client of the service API gets for a refusal. */
function answered(refusal: Refusal | undefined) {
  const { status, headers, content } = refusalAnswer(serviceApi, refusal as Refusal);
  return { status, headers, body: JSON.parse(content as string) as unknown };
}

describe('errors of the graph, in the terms of REST', () => {
  test.each(codes)('%s has one status, above the data and as a member of a union', (code, { status, message }) => {
    expect(answered(toRefusal(located({ code }, message)))).toMatchObject({ status, body: { message } });
    expect(answered(refusalOfFailure({ failure: code, message }))).toMatchObject({ status, body: { message } });
    expect(answered(toRefusal(new AppError(code)))).toMatchObject({ status, body: { message } });
  });

  test('converts only the first segment of a field’s path to the name of REST', () => {
    const fields = { triggerHandle: ['a'], 'blob.nodes.0.timeoutMs': ['b'], customerOrderNumber: ['c'] };
    const errors = { trigger_handle: ['a'], 'blob.nodes.0.timeoutMs': ['b'], customer_order_number: ['c'] };
    const invalid = Object.entries(fields).map(([path, messages]) => ({ path, messages }));
    const failure = { failure: 'VALIDATION_FAILED', message: 'm', invalid };
    expect(answered(refusalOfFailure(failure)).body).toEqual({ message: 'm', errors });
    expect(answered(toRefusal(located({ code: 'VALIDATION_FAILED', fields }, 'm'))).body).toEqual({
      message: 'm',
      errors,
    });
    expect(answered(toRefusal(new ValidationError(fields, 'm'))).body).toEqual({ message: 'm', errors });
  });

  test('has the seconds to wait', () => {
    expect(answered(toRefusal(accessError('TOO_MANY_ATTEMPTS', { retryAfter: 7 })))).toMatchObject({
      status: 429,
      body: { message: 'Too Many Attempts.' },
      headers: { 'retry-after': '7' },
    });
  });

  test('reveals nothing of an unexpected error', () => {
    const secret = 'password authentication failed for user "causeway"';
    expect(answered(toRefusal(located({ code: 'INTERNAL' }, secret))).body).toEqual({ message: 'Server Error' });
    expect(answered(toRefusal(located({ code: 'constructor' }, secret))).body).toEqual({ message: 'Server Error' });
    expect(toRefusal(located({}, secret))).toBeUndefined();
    expect(toRefusal(new Error(secret))).toBeUndefined();
    expect(toRefusal(Object.assign(new Error(secret), { statusCode: 500 }))).toBeUndefined();
    expect(toRefusal(null)).toBeUndefined();
  });
});

test('answers 500 with one sentence when the database fails, without the reason', async ({ api }) => {
  const owner = new pg.Client({ connectionString: api.databaseUrl });
  try {
    await owner.connect();
    await owner.query('ALTER TABLE workflows RENAME TO workflows_gone');
    const answer = await call(api, 'GET', '/workflows');
    expect(answer).toMatchObject({ status: 500, text: '{"message":"Server Error"}' });
    expect(answer.headers['x-request-id']).toEqual(expect.any(String));
  } finally {
    await owner.end();
  }
});
