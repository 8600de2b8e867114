import { z } from 'zod';
import { invalid, type MakeAsk, notFound, areaRows } from '#test/contract/contract-row.ts';
import * as shapes from '#test/contract/shapes.ts';

const bearer = { credential_type_slug: 'core:bearer', config: { token: 'contract-canary' } };
const fresh =
  (body?: object, type?: string): MakeAsk =>
  async ({ makeCredential }) => ({ params: { id: await makeCredential(type) }, ...(body && { body }) });
const made =
  (body: object): MakeAsk =>
  ({ name }) => ({ body: { ...bearer, name: name('Made'), ...body } });

export const credentialTypeRows = areaRows('Credential Types', [
  {
    method: 'GET',
    path: '/credential-types',
    who: 'authenticated',
    answers: { status: 200, body: shapes.data(shapes.credentialType) },
  },
  {
    method: 'GET',
    path: '/credential-types/{slug}',
    who: 'authenticated',
    ask: () => ({ params: { slug: 'erp:api' } }),
    answers: { status: 200, body: z.strictObject({ data: shapes.credentialType }) },
    refuses: [{ when: 'there is none', ask: () => ({ params: { slug: 'erp:none' } }), status: 404, body: notFound }],
  },
]);

const badState = { message: 'Invalid or expired OAuth state.' };

export const credentialRows = areaRows('Credentials', [
  {
    method: 'GET',
    path: '/credentials',
    who: 'user',
    ask: () => ({ query: 'type=core:bearer' }),
    answers: {
      status: 200,
      body: shapes.data(shapes.credential.extend({ credential_type_slug: z.literal('core:bearer') })),
    },
  },
  {
    method: 'POST',
    path: '/credentials',
    who: 'admin',
    ask: made({ tenant_id: 'acme-outlet', status: 'revoked' }),
    answers: {
      status: 201,
      body: shapes.credential.extend({ tenant_id: z.literal('acme-shop'), status: z.literal('active') }),
    },
    refuses: [
      { when: 'the config does not fit the type', ask: made({ config: {} }), status: 422, body: invalid('config') },
      { when: 'a secret is a number', ask: made({ config: { token: 5 } }), status: 422, body: invalid('config') },
      { when: 'the config is not an object', ask: made({ config: 'text' }), status: 422, body: invalid('config') },
      {
        when: 'the type is unknown',
        ask: made({ credential_type_slug: 'core:none' }),
        status: 422,
        body: invalid('credential_type_slug'),
      },
      { when: 'the name is missing', ask: made({ name: undefined }), status: 422, body: invalid('name') },
      {
        when: 'the name is taken',
        async ask({ name, rest }) {
          const body = { ...bearer, name: name('Taken') };
          await rest('POST', '/credentials', { body });
          return { body };
        },
        status: 422,
        body: invalid('name'),
      },
    ],
    limits: [
      {
        what: 'a name of 191 characters',
        field: 'name',
        edge: ({ name }) => ({ body: { ...bearer, name: name('c').padEnd(191, 'x') } }),
        past: ({ name }) => ({ body: { ...bearer, name: name('c').padEnd(192, 'x') } }),
      },
    ],
  },
  {
    method: 'POST',
    path: '/credentials/test',
    who: 'user',
    ask: ({ receiver }) => ({ body: { ...bearer, config: { ...bearer.config, test_url: `http://${receiver}/` } } }),
    answers: { status: 200, body: shapes.testOutcome.extend({ ok: z.literal(true) }) },
  },
  {
    method: 'POST',
    path: '/credentials/test',
    who: 'user',
    // Nothing listens there, and egress would not let it: a failed test is an answer.
    ask: () => ({ body: { ...bearer, config: { ...bearer.config, test_url: 'http://127.0.0.1:9/' } } }),
    answers: { status: 200, body: z.strictObject({ ok: z.literal(false), message: z.string().max(500) }) },
  },
  {
    method: 'GET',
    path: '/credentials/{id}',
    who: 'user',
    owned: true,
    ask: fresh(),
    answers: { status: 200, body: shapes.credential },
  },
  {
    method: 'PATCH',
    path: '/credentials/{id}',
    who: 'admin',
    owned: true,
    ask: async (world) => ({ ...(await fresh()(world)), body: { name: world.name('Renamed') } }),
    answers: { status: 200, body: shapes.credential },
    refuses: [
      { when: 'the config does not fit', ask: fresh({ config: { token: [] } }), status: 422, body: invalid('config') },
    ],
    limits: [
      {
        what: 'a name of 191 characters',
        field: 'name',
        edge: async (world) => ({ ...(await fresh()(world)), body: { name: world.name('p').padEnd(191, 'x') } }),
        past: async (world) => ({ ...(await fresh()(world)), body: { name: world.name('p').padEnd(192, 'x') } }),
      },
    ],
  },
  { method: 'DELETE', path: '/credentials/{id}', who: 'admin', owned: true, ask: fresh(), answers: { status: 204 } },
  {
    method: 'POST',
    path: '/credentials/{id}/test',
    who: 'user',
    owned: true,
    ask: fresh(),
    answers: { status: 200, body: shapes.savedTestOutcome },
  },
  {
    method: 'POST',
    path: '/credentials/{id}/oauth/authorize-url',
    who: 'admin',
    owned: true,
    ask: fresh(undefined, 'core:oauth2'),
    answers: { status: 200, body: z.strictObject({ authorize_url: z.url() }) },
    refuses: [
      {
        when: 'the type has no 3-legged OAuth',
        ask: fresh(),
        status: 422,
        body: { message: 'Credential type does not use 3-legged OAuth.' },
      },
    ],
  },
]);

const callback =
  (query: string): MakeAsk =>
  () => ({ query });

/** Its success takes a provider: the tests of OAuth walk the whole dance. */
export const callbackRows = areaRows('Credentials', [
  {
    method: 'GET',
    path: '/credentials/oauth/callback',
    who: 'anyone',
    refuses: [
      { when: 'the state is missing', ask: callback('code=abc'), status: 400, body: badState },
      { when: 'the state is unknown', ask: callback('code=abc&state=unknown'), status: 400, body: badState },
      { when: 'the code is missing', ask: callback('state=unknown'), status: 400, body: badState },
      { when: 'both are repeated', ask: callback('code=a&code=b&state=a&state=b'), status: 400, body: badState },
    ],
  },
]);
