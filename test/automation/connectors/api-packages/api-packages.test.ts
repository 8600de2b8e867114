import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packNodePackage } from '@causeway/node-kit/pack';
import { expect } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

const operator = { roles: ['operator', 'admin'] };

const text = { schema: { type: 'string' } };
const answer = (properties: object) => ({
  200: { description: 'Done', content: { 'application/json': { schema: { type: 'object', properties } } } },
});

function describeErp(title: string, { note = {}, more = {} }: { note?: object; more?: object } = {}) {
  const order = { type: 'object', properties: { number: { type: 'string' }, ...note } };
  // A credential can hold the tokens of only one provider.
  const oauth = { type: 'oauth2', flows: { clientCredentials: { tokenUrl: 'https://id.example/token', scopes: {} } } };
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title, version: '7' },
    servers: [{ url: 'https://erp.example/v1' }],
    components: {
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' }, a: oauth, b: oauth },
    },
    security: [{ key: [] }],
    paths: {
      '/orders': {
        post: {
          tags: ['Orders'],
          requestBody: { content: { 'application/json': { schema: order } } },
          responses: answer({ id: { type: 'string' } }),
        },
        get: { tags: ['Orders'], parameters: [{ name: 'q', in: 'query', ...text }], responses: answer({}) },
      },
      '/stock': { get: { tags: ['Stock'], responses: answer({}) } },
      '/safe': { get: { security: [{ a: [], b: [] }], responses: answer({}) } },
      ...more,
    },
  });
}

const describeDocument = /* GraphQL */ `
  mutation ($input: DescribeApiInput!) {
    describeApi(input: $input) {
      ... on DescribeApiPayload {
        api { kind title version hash namespace servers operationCount credentialTypes { slug name }
          operations { name method path tags reason } tags { name count } skipped { operation reason } }
      }
      ... on Error { code message }
      ... on ValidationError { fields { path messages } }
    }
  }
`;
const createDocument = /* GraphQL */ `
  mutation ($input: CreateNodePackageInput!) {
    createNodePackage(input: $input) {
      ... on CreateNodePackagePayload {
        created
        nodePackage { name version nodes { slug version } credentialTypes { slug } }
        skipped { operation }
        warning
        replaced { title source }
      }
      ... on Error { code message }
      ... on ValidationError { fields { path messages } }
    }
  }
`;

const run = async (api: TestApp, document: string, input: object, as: object = operator) => {
  const { data, errors } = await api.graphql<Record<string, Record<string, unknown>>>(document, { input }, as);
  expect(errors).toBeUndefined();
  return Object.values(data)[0] as Record<string, unknown>;
};

test('a description is listed with its operations, tags and credential types, and the operations that cannot become nodes', async ({
  api,
}) => {
  const given = describeErp('Listed API');
  expect(await run(api, describeDocument, { source: { text: given } })).toEqual({
    api: {
      kind: 'openapi',
      title: 'Listed API',
      version: '7',
      hash: createHash('sha256').update(given).digest('hex'),
      namespace: 'listed',
      servers: ['https://erp.example/v1'],
      operationCount: 4,
      credentialTypes: [{ slug: 'listed:key', name: 'Listed API: key' }],
      operations: [
        { name: 'post-orders', method: 'POST', path: '/orders', tags: ['Orders'], reason: null },
        { name: 'get-orders', method: 'GET', path: '/orders', tags: ['Orders'], reason: null },
        { name: 'get-stock', method: 'GET', path: '/stock', tags: ['Stock'], reason: null },
        { name: 'get-safe', method: 'GET', path: '/safe', tags: [], reason: expect.stringContaining('no credential') },
      ],
      tags: [
        { name: 'Orders', count: 2 },
        { name: 'Stock', count: 1 },
      ],
      skipped: [],
    },
  });
  const stock = await run(api, describeDocument, { source: { text: given }, choose: { tags: ['stock'] } });
  expect(stock).toMatchObject({ api: { operationCount: 1, operations: [{ name: 'get-stock' }] } });
});

test('an upload and a URL are read like a text, and a private address only if it is allowed', async ({ api }) => {
  const given = describeErp('Sent API');
  const { data } = await api.graphql<{ createUpload: { upload: { id: string }; target: { url: string } } }>(
    'mutation { createUpload(input: {filename: "sent.json", contentType: "application/json"}) { ... on CreateUploadPayload { upload { id } target { url } } } }',
  );
  const { upload, target } = data.createUpload;
  const early = await run(api, describeDocument, { source: { uploadId: upload.id } });
  expect(early).toMatchObject({ code: 'CONFLICT' });
  const { pathname, search } = new URL(target.url);
  const type = { 'content-type': 'application/json' };
  await api.app.inject({ method: 'PUT', url: pathname + search, headers: type, payload: given });
  const read = await run(api, describeDocument, { source: { uploadId: upload.id } });
  expect(read).toMatchObject({ api: { title: 'Sent API' } });
  const foreign = await run(api, describeDocument, { source: { uploadId: upload.id } }, { ...operator, tenant: null });
  expect(foreign).toMatchObject({ fields: [{ path: 'source.uploadId' }] });

  const server = createServer((_request, response) => response.end(given)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const source = { url: `http://127.0.0.1:${port}/openapi.json?key=secret` };
    expect(await run(api, describeDocument, { source })).toMatchObject({ fields: [{ path: 'source.url' }] });
    api.egressAllow.add(`127.0.0.1:${port}`);
    expect(await run(api, describeDocument, { source })).toMatchObject({ api: { title: 'Sent API' } });
  } finally {
    server.close();
  }
});

test('a text that is not a description, and an input without a source, are refused with the reason', async ({
  api,
}) => {
  expect(await run(api, describeDocument, { source: { text: '{"a": 1}' } })).toMatchObject({ code: 'UNPROCESSABLE' });
  expect(await run(api, describeDocument, { source: {} })).toMatchObject({ code: 'VALIDATION_FAILED' });
  const source = { text: describeErp('Empty choice') };
  expect(await run(api, createDocument, { orgId: 'acme', source, choose: {} })).toMatchObject({
    fields: [{ path: 'choose' }],
  });
  expect(
    await run(api, createDocument, { orgId: 'acme', source, choose: { all: true }, namespace: 'core' }),
  ).toMatchObject({
    fields: [{ path: 'namespace' }],
  });
  const denied = await api.graphql(describeDocument, { input: { source } }, { roles: ['admin'] });
  expect(denied.errors?.[0]).toMatchObject({ extensions: { code: 'FORBIDDEN' } });
});

test('a package has the bytes that the command makes, also when it is made again from a newer description', async ({
  api,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-same-'));
  const command = async (given: string, ...choice: string[]): Promise<string> => {
    await writeFile(join(folder, 'erp.json'), given);
    const silent = { out: () => undefined, err: () => undefined, cwd: folder, env: {} };
    expect(await runCauseway(['node', 'from', 'erp.json', '--out', 'made', ...choice], silent)).toBe(0);
    return createHash('sha256')
      .update(await packNodePackage(join(folder, 'made')))
      .digest('hex');
  };
  const stored = async (version: string) => {
    const key = { name_version: { name: 'same-erp-nodes', version } };
    return (await api.database.global.nodePackage.findUniqueOrThrow({ where: key })).digest;
  };
  try {
    const first = describeErp('Same ERP API');
    const source = { text: first, filename: 'erp.json' };
    const made = await run(api, createDocument, { orgId: 'acme', source, choose: { tags: ['Orders'] } });
    expect(made).toEqual({
      created: true,
      nodePackage: {
        name: 'same-erp-nodes',
        version: '1.0.0',
        nodes: [
          { slug: 'same-erp:post-orders', version: '1.0.0' },
          { slug: 'same-erp:get-orders', version: '1.0.0' },
        ],
        credentialTypes: [{ slug: 'same-erp:key' }],
      },
      skipped: [],
      warning: null,
      replaced: null,
    });
    expect(await stored('1.0.0')).toBe(await command(first, '--tag', 'Orders'));
    const again = await run(api, createDocument, { orgId: 'acme', source });
    expect(again).toMatchObject({ created: false, nodePackage: { version: '1.0.0' } });

    const second = describeErp('Same ERP API', { note: { note: { type: 'string' } } });
    const next = await run(api, createDocument, { orgId: 'acme', source: { text: second, filename: 'erp.json' } });
    expect(next).toMatchObject({
      created: true,
      nodePackage: {
        version: '1.1.0',
        nodes: [
          { slug: 'same-erp:post-orders', version: '1.1.0' },
          { slug: 'same-erp:get-orders', version: '1.0.0' },
        ],
      },
      replaced: { title: 'Same ERP API', source: 'erp.json' },
    });
    expect(await stored('1.1.0')).toBe(await command(second));
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('an API of a thousand operations is listed in one answer', async ({ api }) => {
  const paths = Array.from({ length: 1_000 }, (_, index) => [
    `/things-${index}`,
    { get: { parameters: [{ name: 'q', in: 'query', ...text }], responses: answer({ id: { type: 'string' } }) } },
  ]);
  const source = { text: describeErp('Large API', { more: Object.fromEntries(paths) }) };
  const { api: listed } = await run(api, describeDocument, { source });
  expect(listed).toMatchObject({ operationCount: 1_004 });
});

const compareDocument = /* GraphQL */ `
  mutation ($input: CompareApiInput!) {
    compareApi(input: $input) {
      ... on CompareApiPayload {
        comparison {
          isOtherApi
          changeCount
          breakingCount
          before {
            title
          }
          after {
            title
          }
          changes {
            kind
            slug
            path
            isBreaking
          }
          workflowCount
          broken {
            tenantId
            workflowName
            kind
            slug
            node
            path
            reads
          }
        }
      }
      ... on Error {
        code
        message
      }
    }
  }
`;

test('a newer description is compared with the package, and the workflows that break are named at their fields', async ({
  api,
}) => {
  const source = (note: object, more: object) => ({
    text: describeErp('Compared API', { note, more }),
    filename: 'erp.json',
  });
  const item = (properties: object) => ({
    '/items': { get: { responses: answer({ value: { type: 'array', items: { type: 'object', properties } } }) } },
  });
  const text1 = { type: 'string' };
  const first = source({ note: text1, unused: text1 }, item({ sku: text1, name: text1 }));
  await run(api, createDocument, { orgId: 'acme', source: first, choose: { all: true }, namespace: 'compared' });
  const create = { id: 'create', node: 'compared:post-orders', version: '^1.0.0' };
  const list = { id: 'list', node: 'compared:get-items', version: '^1.0.0', config: { credential: 1 } };
  const blobs = {
    Breaks: {
      version: 'v1',
      nodes: [
        { ...create, config: { credential: 1, body: { number: '1', note: '{{ trigger.payload.note }}' } } },
        list,
        {
          id: 'each',
          node: 'core:for-each',
          version: '^1.0.0',
          config: {
            items: '{{ nodes.list.outputs.body.value[name != ""] }}',
            body: {
              nodes: [
                {
                  id: 'log',
                  node: 'core:set',
                  version: '^1.0.0',
                  config: { values: { a: '{{ item.sku }}', b: '{{ item.name }}' } },
                },
              ],
              edges: [],
            },
          },
        },
      ],
      edges: [{ from: { node: 'list', branch: 'success' }, to: 'each' }],
    },
    Works: { version: 'v1', nodes: [{ ...create, config: { credential: 1, body: { number: '1' } } }, list], edges: [] },
  };
  await api.database.withTenant('acme-shop', async (tx) => {
    for (const [name, blob] of Object.entries(blobs))
      await tx.workflow.create({ data: { tenantId: 'acme-shop', name, blob } });
  });
  const next = source({}, item({ sku: text1 }));
  const { comparison } = await run(api, compareDocument, { orgId: 'acme', source: next, namespace: 'compared' });
  expect(comparison).toEqual({
    isOtherApi: false,
    changeCount: 3,
    breakingCount: 3,
    before: { title: 'Compared API' },
    after: { title: 'Compared API' },
    changes: [
      { kind: 'ANSWER_REMOVED', slug: 'compared:get-items', path: 'outputs.body.value.name', isBreaking: true },
      { kind: 'FIELD_REMOVED', slug: 'compared:post-orders', path: 'config.body.note', isBreaking: true },
      { kind: 'FIELD_REMOVED', slug: 'compared:post-orders', path: 'config.body.unused', isBreaking: true },
    ],
    workflowCount: 2,
    broken: [
      { kind: 'FIELD_REMOVED', slug: 'compared:post-orders', node: 'create', path: 'config.body.note', reads: null },
      {
        kind: 'ANSWER_REMOVED',
        slug: 'compared:get-items',
        node: 'each',
        path: 'config.items',
        reads: 'outputs.body.value.name',
      },
      {
        kind: 'ANSWER_REMOVED',
        slug: 'compared:get-items',
        node: 'each/log',
        path: 'config.values.b',
        reads: 'outputs.body.value.name',
      },
    ].map((place) => ({ tenantId: 'acme-shop', workflowName: 'Breaks', ...place })),
  });
  const other = { text: describeErp('Another API'), filename: 'erp.json' };
  const made = await run(api, createDocument, { orgId: 'acme', source: other, namespace: 'compared' });
  expect(made).toMatchObject({ replaced: { title: 'Compared API' }, warning: expect.stringContaining('Another API') });
});
