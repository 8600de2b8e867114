import { z } from 'zod';
import { type MakeAsk, notFound, areaRows, text } from '#test/contract/contract-row.ts';
import * as shapes from '#test/contract/shapes.ts';
import { gzip, operator } from '#test/contract/world.ts';

const setNode = { slug: 'core:set', version: '1.0.0' };
const erpNode = { slug: 'erp:get-stock', version: 'latest' };
const unknown = { slug: 'no-such:node', version: '1.0.0' };
const noBuiltCode = {
  message:
    'This node version has no built code, so it cannot be executed. Its code is built when its package is registered.',
};
const on =
  (params: { slug: string; version: string }, body?: object): MakeAsk =>
  () => ({ params, ...(body && { body }) });
const unbuilt =
  (body: object): MakeAsk =>
  async ({ makeNode }) => ({ params: await makeNode('export const execute = ;'), body });

export const nodeRows = areaRows('Nodes', [
  {
    method: 'GET',
    path: '/nodes',
    who: 'authenticated',
    ask: () => ({ query: 'namespace=core' }),
    answers: { status: 200, body: shapes.data(shapes.node) },
  },
  {
    method: 'GET',
    path: '/nodes/{slug}/versions',
    who: 'authenticated',
    ask: on(setNode),
    answers: { status: 200, body: z.strictObject({ data: z.array(z.string().regex(/^\d+\.\d+\.\d+/)).min(1) }) },
    refuses: [{ when: 'the slug is unknown', ask: on(unknown), status: 404, body: notFound }],
  },
  {
    method: 'GET',
    path: '/nodes/{slug}/{version}',
    who: 'authenticated',
    ask: on(erpNode),
    answers: { status: 200, body: shapes.node },
    refuses: [
      { when: 'the slug is unknown', ask: on(unknown), status: 404, body: notFound },
      { when: 'the version is unknown', ask: on({ ...setNode, version: '9.9.9' }), status: 404, body: notFound },
    ],
  },
  {
    method: 'DELETE',
    path: '/nodes/{slug}/{version}',
    who: 'operator',
    ask: async ({ makeNode }) => ({ params: await makeNode() }),
    answers: { status: 204 },
    refuses: [
      {
        when: 'the version is `latest`',
        ask: on(erpNode),
        status: 400,
        body: { message: 'The `latest` alias is not allowed for mutating requests.' },
      },
      { when: 'the slug is unknown', ask: on(unknown), status: 404, body: notFound },
    ],
  },
  {
    method: 'POST',
    path: '/nodes/{slug}/{version}/config:resolve',
    who: 'tester',
    ask: on(erpNode, { target: '*', config: {} }),
    answers: {
      status: 200,
      body: z.strictObject({ fields: z.array(z.looseObject({})), outputs: z.array(z.looseObject({})) }),
    },
    refuses: [
      { when: 'the slug is unknown', ask: on(unknown, { target: '*' }), status: 404, body: notFound },
      { when: 'no code was built', ask: unbuilt({ target: '*' }), status: 409, body: noBuiltCode },
      {
        when: 'the runtime fails',
        ask: async ({ makeNode }) => ({
          params: await makeNode(
            'export const execute = () => ({}); export const resolve = () => { throw new Error("down"); };',
          ),
          body: { target: '*' },
        }),
        status: 502,
        body: {
          message: { asymmetricMatch: (value: unknown) => String(value).startsWith('Node runtime resolve failed: ') },
        },
      },
    ],
    limits: (
      [
        ['target', 128, {}],
        ['locale', 16, { target: '*' }],
        ['search', 200, { target: 'article' }],
      ] as const
    ).map(([field, most, others]) => ({
      what: `${field} of ${most} characters`,
      field,
      edge: on(erpNode, { ...others, [field]: field === 'target' ? 'outputs' : text(most) }),
      past: on(erpNode, { ...others, [field]: text(most + 1) }),
    })),
  },
  {
    method: 'POST',
    path: '/nodes/{slug}/{version}/execute:test',
    who: 'tester',
    ask: on(setNode, { config: { values: { a: 1 } }, inputs: {}, timeout_ms: 1_000 }),
    answers: {
      status: 200,
      body: z.strictObject({
        outputs: z.record(z.string(), z.unknown()),
        branch: z.string(),
        logs: z.array(z.strictObject({ level: z.string(), message: z.string() })),
      }),
    },
    refuses: [
      { when: 'the slug is unknown', ask: on(unknown, {}), status: 404, body: notFound },
      { when: 'no code was built', ask: unbuilt({}), status: 409, body: noBuiltCode },
      {
        when: 'the node throws',
        ask: on({ slug: 'core:fail', version: '1.0.0' }, { config: { message: 'No.' } }),
        status: 422,
        body: { error: { message: 'No.', code: 'FAILED' }, logs: [] },
      },
    ],
    limits: [
      {
        what: 'timeout_ms of at least 1000',
        field: 'timeout_ms',
        edge: on(setNode, { config: { values: {} }, timeout_ms: 1_000 }),
        past: on(setNode, { config: { values: {} }, timeout_ms: 999 }),
      },
    ],
  },
]);

const archive =
  (make: (world: Parameters<MakeAsk>[0]) => Buffer | Promise<Buffer>): MakeAsk =>
  async (world) => ({ params: { org_id: 'acme' }, body: await make(world), headers: gzip });

export const nodePackageRows = areaRows('Node Packages', [
  {
    method: 'GET',
    path: '/node-packages/images/{id}',
    who: 'anyone',
    ask: ({ image }) => ({ params: { id: image.pathname.split('/').at(-1) ?? '' }, query: image.search.slice(1) }),
    answers: { status: 200, body: z.object({}) },
    refuses: [
      {
        when: 'the signature is missing',
        ask: ({ image }) => ({ params: { id: image.pathname.split('/').at(-1) ?? '' } }),
        status: 403,
        body: { message: 'Invalid signature.' },
      },
      {
        when: 'the signature was made for another image',
        ask: ({ image }) => ({ params: { id: 999_999 }, query: image.search.slice(1) }),
        status: 403,
        body: { message: 'Invalid signature.' },
      },
      {
        when: 'there is no such image',
        ask({ api }) {
          const url = new URL(api.deps.imageUrls.sign(999_999));
          return { params: { id: 999_999 }, query: url.search.slice(1) };
        },
        status: 404,
        body: { message: 'Not Found' },
      },
    ],
  },
  {
    method: 'POST',
    path: '/admin/orgs/{org_id}/node-packages',
    who: 'operator',
    ask: archive((world) => world.archive()),
    answers: { status: 201, body: shapes.nodePackage },
    refuses: [
      {
        when: 'the same version has other bytes',
        ask: archive(async (world) => {
          const name = world.name('taken');
          const body = world.archive('one', name);
          await world.rest('POST', '/admin/orgs/acme/node-packages', { as: operator, body, headers: gzip });
          return world.archive('two', name);
        }),
        status: 409,
        body: {},
      },
      {
        when: 'it is not an archive',
        ask: archive(() => Buffer.from('no archive')),
        status: 422,
        body: {},
      },
    ],
  },
]);
