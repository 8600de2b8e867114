import { z } from 'zod';
import { invalid, type MakeAsk, notFound, areaRows, sizeLimits } from '#test/contract/contract-row.ts';
import * as shapes from '#test/contract/shapes.ts';

const secret =
  (key: string, body?: object): MakeAsk =>
  () => ({ params: { key }, ...(body && { body }) });
const stored: MakeAsk = async ({ name, rest }) => {
  const key = name('KEY').toUpperCase().replaceAll('-', '_');
  await rest('PUT', `/secrets/${key}`, { body: { value: 'contract-canary' } });
  return { params: { key } };
};

export const secretRows = areaRows('Tenant Secrets', [
  { method: 'GET', path: '/secrets', who: 'user', answers: { status: 200, body: shapes.data(shapes.secret) } },
  {
    method: 'PUT',
    path: '/secrets/{key}',
    who: 'admin',
    ask: ({ name }) => ({
      params: { key: name('NEW').toUpperCase().replaceAll('-', '_') },
      body: { value: 'contract-canary' },
    }),
    answers: { status: 201, body: shapes.secret },
    refuses: [
      {
        when: 'the key is not of the pattern',
        ask: secret('lower', { value: 'x' }),
        status: 422,
        body: invalid('key'),
      },
      { when: 'the value is missing', ask: secret('TOKEN', {}), status: 422, body: invalid('value') },
      { when: 'the value is a number', ask: secret('TOKEN', { value: 5 }), status: 422, body: invalid('value') },
    ],
    limits: [
      {
        what: 'a key of 128 characters',
        field: 'key',
        edge: secret(`K${'X'.repeat(127)}`, { value: 'x' }),
        past: secret(`K${'X'.repeat(128)}`, { value: 'x' }),
      },
    ],
  },
  {
    method: 'PUT',
    path: '/secrets/{key}',
    who: 'admin',
    ask: async (world) => ({ ...(await stored(world)), body: { value: 'another-canary' } }),
    answers: { status: 200, body: shapes.secret },
  },
  {
    method: 'GET',
    path: '/secrets/{key}',
    who: 'user',
    owned: true,
    ask: stored,
    answers: { status: 200, body: shapes.secret },
  },
  { method: 'DELETE', path: '/secrets/{key}', who: 'admin', owned: true, ask: stored, answers: { status: 204 } },
]);

const entries =
  (query = ''): MakeAsk =>
  () => ({ params: { ns: 'orders' }, query });
const entry =
  (key: string, body?: object): MakeAsk =>
  () => ({ params: { ns: 'orders', key }, ...(body && { body }) });
const written: MakeAsk = async ({ name, rest }) => {
  const key = name('entry');
  await rest('PUT', `/state/orders/entries/${key}`, { body: { value: [1] } });
  return { params: { ns: 'orders', key } };
};

export const stateRows = areaRows('State Store', [
  {
    method: 'GET',
    path: '/state/namespaces',
    who: 'user',
    answers: { status: 200, body: shapes.data(shapes.stateNamespace) },
  },
  {
    method: 'GET',
    path: '/state/{ns}/entries',
    who: 'user',
    ask: entries('prefix=last&limit=10'),
    answers: { status: 200, body: z.looseObject({ data: z.array(shapes.stateEntry).min(1) }) },
    refuses: [
      { when: 'the cursor is not one of ours', ask: entries('cursor=none'), status: 422, body: invalid('cursor') },
    ],
    limits: sizeLimits(entries()),
  },
  {
    method: 'GET',
    path: '/state/{ns}/entries/{key}',
    who: 'user',
    owned: true,
    ask: written,
    answers: { status: 200, body: shapes.stateEntry },
    refuses: [{ when: 'there is none', ask: entry('none'), status: 404, body: notFound }],
  },
  {
    method: 'PUT',
    path: '/state/{ns}/entries/{key}',
    who: 'admin',
    ask: async (world) => ({ ...(await written(world)), body: { value: { n: 2 }, version: 1 } }),
    answers: { status: 200, body: shapes.stateEntry.extend({ version: z.literal(2) }) },
    refuses: [
      {
        when: 'the version is stale',
        ask: async (world) => ({ ...(await written(world)), body: { value: 3, version: 7 } }),
        status: 409,
        body: {},
      },
      { when: 'the value is missing', ask: entry('last', {}), status: 422, body: invalid('value') },
    ],
    limits: [
      {
        what: 'a key of 512 characters',
        field: 'key',
        edge: ({ name }) => ({ params: { ns: 'orders', key: name('k').padEnd(512, '€') }, body: { value: 1 } }),
        past: entry('€'.repeat(513), { value: 1 }),
      },
    ],
  },
  {
    method: 'DELETE',
    path: '/state/{ns}/entries/{key}',
    who: 'admin',
    owned: true,
    ask: written,
    answers: { status: 204 },
  },
]);
