import { expect, test } from 'vitest';
import { startCalls } from './sent-calls.ts';

const calls = await startCalls();
const refused = { status: 403, headers: { 'X-CSRF-Token': 'Required' }, body: 'CSRF token validation failed' };
const credential = {
  sends: [{ as: 'basic' as const, username: 'user', password: 'password' }],
  fields: { user: 'me', password: 'secret', base_url: `${calls.url}/sap/orders/` },
};
const create = () =>
  calls.send(
    { method: 'POST', path: '/SalesOrder', credential: 'credential', answers: [{ status: '2XX', branch: 'success' }] },
    { credential: 7 },
    { credential },
  );

test('a write that is refused without a token is sent again with a token and the cookies of its session', async () => {
  calls.answerWith(({ method, headers }) => {
    if (method === 'GET') {
      return { status: 404, headers: { 'x-csrf-token': 'tok-1', 'set-cookie': 'SAP_SESSIONID_X_100=a%3d; path=/' } };
    }
    return headers['x-csrf-token'] === 'tok-1' && headers['cookie'] === 'SAP_SESSIONID_X_100=a%3d'
      ? { status: 201, body: { SalesOrder: '1' } }
      : refused;
  });
  expect(await create()).toMatchObject({ branch: 'success', outputs: { status: 201, body: { SalesOrder: '1' } } });
  expect(calls.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /sap/orders/SalesOrder',
    'GET /sap/orders/',
    'POST /sap/orders/SalesOrder',
  ]);
  const authorization = `Basic ${btoa('me:secret')}`;
  for (const { headers } of calls.seen) expect(headers).toMatchObject({ authorization });
  expect(calls.seen[1]?.headers).toMatchObject({ 'x-csrf-token': 'Fetch' });
});

test.each([
  ['a service that gives no token', () => refused, ['POST', 'GET']],
  [
    'a service that refuses its own token',
    ({ method }: { method: string }) => (method === 'GET' ? { headers: { 'x-csrf-token': 'tok-2' } } : refused),
    ['POST', 'GET', 'POST'],
  ],
  ['another 403', () => ({ status: 403 }), ['POST']],
])('%s is asked no more than once', async (_, answer, methods) => {
  calls.answerWith(answer);
  await expect(create()).rejects.toMatchObject({ code: 'HTTP_STATUS' });
  expect(calls.seen.map(({ method }) => method)).toEqual(methods);
});
