import { fileURLToPath } from 'node:url';
import { packNodePackage } from '@causeway/node-kit/pack';
import { afterAll, describe, expect } from 'vitest';
import { type Erp, startErp } from '#examples/erp-nodes/erp/server.ts';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { packageArchive } from '#test/automation/packages/package-archive.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import type { FieldErrorList } from '#test/setup/field-errors.ts';

const erpFolder = fileURLToPath(new URL('../../../examples/erp-nodes/', import.meta.url));

const codes = {
  echo: 'export const execute = (ctx) => ({ outputs: { config: ctx.config, inputs: ctx.inputs }, branch: "seen" });',
  throws: `export const execute = (ctx) => {
    ctx.log.warn('about to fail');
    throw Object.assign(new Error('No such order.'), { code: 'NO_ORDER' });
  };`,
  loops: 'export const execute = () => { for (;;) {} };',
  odd: 'export const execute = () => 7;',
  broken: 'export const execute = ;',
  dynamic: `export const execute = () => ({});
    export const resolve = (ctx) => {
      if (ctx.target === 'outputs') return { outputs: [{ name: ctx.config.shape + '_id' }] };
      if (ctx.search === 'explode') throw new Error('The ERP is closed.');
      if (ctx.search === 'odd') return { fields: [{ nothing: true }] };
      return { fields: [{ key: ctx.target, type: 'select', options: [{ value: ctx.search, label: ctx.locale }] }] };
    };`,
};
const fields = [
  { key: 'shape', type: 'select', dynamic: true },
  { key: 'note', type: 'string' },
];

let api: TestApp;
let erp: Erp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  erp = await startErp();
  api.egressAllow.add(new URL(erp.url).host);
  await registerNodePackage(api.deps, { orgId: 'acme', archive: await packNodePackage(erpFolder) });
  const nodes = Object.entries(codes).map(([name, code]) => ({
    name,
    version: '1.0.0',
    code,
    manifest: { config: fields, outputs: [{ name: 'done' }] },
  }));
  await registerNodePackage(api.deps, {
    orgId: 'acme',
    archive: packageArchive({ name: 'calls', namespace: 'calls', nodes }),
  });
});
afterAll(() => erp.close());

interface Tested {
  testNode: { __typename: string; outputs: unknown; error: unknown; logs: unknown; code: string; message: string };
}
const testNode = async (slug: string, input: object = {}, as: object = { roles: ['user'] }) => {
  const { data, errors } = await api.graphql<Tested>(
    `mutation ($input: TestNodeInput!) {
      testNode(input: $input) {
        __typename
        ... on TestNodePayload { outputs branch logs { level message } }
        ... on NodeThrewError { error { message code } logs { level message } }
        ... on Error { code message }
        ... on ValidationError { fields { path messages } }
      }
    }`,
    { input: { slug, version: 'latest', ...input } },
    as,
  );
  expect(errors).toBeUndefined();
  return data.testNode;
};

describe('testing a node', () => {
  test('runs package code against the outside world', async () => {
    const order = { number: '10001', positions: [{ sku: 'A', quantity: '1' }] };
    const config = { base_url: erp.url, order: {} };
    expect(await testNode('erp:create-order', { config, inputs: { order } })).toEqual({
      __typename: 'TestNodePayload',
      outputs: { erp_number: 'ERP-000001', status: 'open' },
      branch: 'default',
      logs: [{ level: 'INFO', message: 'Order 10001 is ERP-000001 in the ERP.' }],
    });
    expect(await testNode('erp:create-order', { config })).toMatchObject({ error: { code: 'INVALID_ORDER' } });
  });

  test('reports to a node why its request was refused', async () => {
    const config = { base_url: 'http://127.0.0.1:8080', article: 'A' };
    expect(await testNode('erp:get-stock', { config })).toMatchObject({
      error: { code: 'HTTP_REFUSED_ADDRESS', message: expect.stringContaining('127.0.0.1') },
    });
  });

  test('merges simulated inputs over the config, and works without a tenant', async () => {
    for (const as of [{ roles: ['user'] }, { tenant: null, roles: ['user'] }, { tenant: null, roles: ['operator'] }]) {
      expect(await testNode('calls:echo', { config: { a: 1, b: 1, c: '{{ 1 + 2 }}' }, inputs: { b: 2 } }, as)).toEqual({
        __typename: 'TestNodePayload',
        outputs: { config: { a: 1, b: 2, c: 3 }, inputs: { b: 2 } },
        branch: 'seen',
        logs: [],
      });
    }
  });

  test('returns what the node threw, with its logs', async () => {
    expect(await testNode('calls:throws')).toEqual({
      __typename: 'NodeThrewError',
      error: { message: 'No such order.', code: 'NO_ORDER' },
      logs: [{ level: 'WARN', message: 'about to fail' }],
      code: 'UNPROCESSABLE',
      message: 'The node failed: No such order.',
    });
    expect(await testNode('calls:odd')).toMatchObject({ error: { code: 'INVALID_RESULT' } });
    const expression = await testNode('calls:echo', { config: { a: '{{ $nothing() }}' } });
    expect(expression).toMatchObject({ error: { code: 'EXPRESSION_FAILED' } });
  });

  test('stops a node that does not end', async () => {
    expect(await testNode('calls:loops', { timeoutMs: 1_000 })).toMatchObject({ error: { code: 'TIMEOUT' } });
  });

  test('explains what cannot be tested', async () => {
    expect(await testNode('calls:none')).toMatchObject({ __typename: 'NotFoundError' });
    expect(await testNode('calls:echo', { version: '7.0.0' })).toMatchObject({ __typename: 'NotFoundError' });
    expect(await testNode('calls:broken')).toMatchObject({
      __typename: 'ConflictError',
      message:
        'This node version has no built code, so it cannot be executed. Its code is built when its package is registered.',
    });
    for (const slug of ['core:for-each', 'core:wait']) {
      expect(await testNode(slug)).toMatchObject({
        error: { code: 'NOT_TESTABLE', message: expect.stringContaining('Start a run instead.') },
        logs: [],
      });
    }
    expect(await testNode('calls:echo', { timeoutMs: 999 })).toMatchObject({
      fields: [{ path: 'timeoutMs', messages: [expect.any(String)] }],
    });
    expect(await testNode('calls:echo', { config: 'text' })).toMatchObject({
      fields: [{ path: 'config', messages: [expect.any(String)] }],
    });
  });

  test("accepts only a workflow of the caller's tenant", async () => {
    const { data } = await api.graphql<{ createWorkflow: { workflow: { id: string } } }>(
      'mutation { createWorkflow(input: { name: "Tested" }) { ... on CreateWorkflowPayload { workflow { id } } } }',
    );
    const { id: workflowId } = data.createWorkflow.workflow;
    expect(await testNode('calls:echo', { workflowId })).toMatchObject({ __typename: 'TestNodePayload' });
    for (const tenant of ['acme-outlet', null]) {
      expect(await testNode('calls:echo', { workflowId }, { tenant })).toMatchObject({ __typename: 'NotFoundError' });
    }
  });

  test('runs core nodes with the same code as a run', async () => {
    expect(await testNode('core:set', { config: { values: { sum: '{{ 1 + 2 }}' } } })).toMatchObject({
      outputs: { sum: 3 },
    });
    expect(await testNode('core:filter', { config: { items: [1, 5], condition: 'item > 2' } })).toMatchObject({
      outputs: { items: [5] },
    });
    expect(await testNode('core:if', { config: { condition: '{{ 1 = 2 }}' } })).toMatchObject({ branch: 'false' });
    expect(await testNode('core:fail', { config: { message: 'Stop.' } })).toMatchObject({
      error: { message: 'Stop.' },
    });
    expect(await testNode('core:set')).toMatchObject({ error: { code: 'INVALID_CONFIG' } });
    expect(await testNode('core:emit-event', { config: { topic: 'a.b', data: 1 } })).toMatchObject({
      logs: [{ level: 'INFO', message: 'Would emit a.b: 1' }],
    });
    expect(await testNode('core:http-request', { config: { url: `${erp.url}/stock/DESK-01` } })).toMatchObject({
      outputs: { status: 200, body: { article: 'DESK-01' } },
    });
    const code = 'log.info(new Error("seen"));\nreturn { doubled: values.n * 2, of: inputs.n };';
    expect(await testNode('core:code', { config: { code, values: { n: '{{ 20 + 1 }}' } }, inputs: { n: 1 } })).toEqual({
      __typename: 'TestNodePayload',
      outputs: { doubled: 42, of: 1 },
      branch: 'default',
      logs: [{ level: 'INFO', message: 'Error: seen\n    at line 1, column 10' }],
    });
    expect(await testNode('core:code', { config: { code: 'return {};\nthrow' } })).toMatchObject({
      error: { code: 'INVALID_CODE', message: expect.stringMatching(/ \(line 2, column \d+\)$/) },
    });
    expect(await testNode('core:code', { config: { code: 'while (true);' }, timeoutMs: 1_000 })).toMatchObject({
      error: { code: 'TIMEOUT' },
    });
    const away = await testNode('core:http-request', { config: { url: 'http://127.0.0.1:8080/' } });
    expect(away).toMatchObject({ error: { code: 'HTTP_REFUSED_ADDRESS' } });
  });
});

describe("resolving a node's config", () => {
  const resolve = async (slug: string, input: object) => {
    const { data, errors } = await api.graphql<{ resolveNodeConfig: object }>(
      `mutation ($input: ResolveNodeConfigInput!) {
        resolveNodeConfig(input: $input) {
          __typename
          ... on ResolveNodeConfigPayload { fields outputs }
          ... on Error { code message }
          ... on ValidationError { fieldErrors: fields { path messages } }
        }
      }`,
      { input: { slug, version: '1.0.0', ...input } },
      { tenant: null },
    );
    expect(errors).toBeUndefined();
    return data.resolveNodeConfig;
  };

  test('asks the node for options and outputs', async () => {
    expect(await resolve('calls:dynamic', { target: 'shape', locale: 'de', search: 'round' })).toMatchObject({
      fields: [{ key: 'shape', type: 'select', options: [{ value: 'round', label: 'de' }] }],
      outputs: [],
    });
    expect(await resolve('calls:dynamic', { target: 'outputs', config: { shape: 'round' } })).toMatchObject({
      fields: [],
      outputs: [{ name: 'round_id' }],
    });
  });

  test('returns the manifest for a node without a resolver', async () => {
    expect(await resolve('calls:echo', { target: '*' })).toMatchObject({ fields, outputs: [{ name: 'done' }] });
    expect(await resolve('core:if', { target: 'condition' })).toMatchObject({
      fields: [{ key: 'condition', type: 'expression' }],
      outputs: [],
    });
  });

  test('reports errors', async () => {
    expect(await resolve('calls:dynamic', { target: 'shape', search: 'explode' })).toMatchObject({
      code: 'RUNTIME_FAILED',
      message: 'Node runtime resolve failed: The ERP is closed.',
    });
    expect(await resolve('calls:dynamic', { target: 'shape', search: 'odd' })).toMatchObject({
      code: 'RUNTIME_FAILED',
    });
    expect(await resolve('calls:dynamic', { target: 'colour' })).toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await resolve('calls:broken', { target: '*' })).toMatchObject({ code: 'CONFLICT' });
    expect(await resolve('calls:none', { target: '*' })).toMatchObject({ code: 'NOT_FOUND' });
    const long = { target: 'x'.repeat(129), locale: 'x'.repeat(17), search: 'x'.repeat(201) };
    const refused = (await resolve('calls:dynamic', long)) as { fieldErrors: FieldErrorList };
    expect(refused.fieldErrors.map(({ path }) => path).toSorted()).toEqual(['locale', 'search', 'target']);
  });
});

describe('credential types and their images', () => {
  test('shows the latest version with links that are valid for an hour and cannot be altered', async () => {
    const query = `query { credentialType(slug: "erp:api") {
      slug version name description authKind fields icon images { src alt title category }
    } credentialTypes { edges { node { slug version } } } }`;
    const { data } = await api.graphql<{ credentialType: { icon: string }; credentialTypes: { edges: object[] } }>(
      query,
      {},
      { tenant: null },
    );
    expect(data.credentialType).toMatchObject({
      slug: 'erp:api',
      version: '1.0.0',
      name: 'ERP API',
      authKind: 'SECRET',
      fields: [
        { key: 'base_url', type: 'url' },
        { key: 'token', type: 'secret' },
      ],
      icon: expect.stringContaining('/api/v1/node-packages/images/'),
    });
    expect(data.credentialTypes.edges).toContainEqual({ node: { slug: 'core:oauth2', version: '1.0.0' } });
    const { icon } = data.credentialType;
    const get = (url: string) => api.app.inject({ method: 'GET', url: url.replace('http://localhost', '') });
    const served = await get(icon);
    expect(served.statusCode).toBe(200);
    expect(served.headers).toMatchObject({ 'content-type': 'image/svg+xml', 'x-content-type-options': 'nosniff' });
    expect(served.headers['content-security-policy']).toContain("default-src 'none'");
    expect(served.body).toContain('<svg');
    const forged = [
      icon.replace(/signature=.{4}/, 'signature=AAAA'),
      icon.replace(/\?.*/, ''),
      icon.replace(/images\/\d+/, 'images/999'),
    ];
    for (const url of [
      ...forged,
      icon.replace(/expires=\d/, 'expires=9'),
      `${icon}&signature=x`,
      '/api/v1/node-packages/images/x',
    ]) {
      const refused = await get(url);
      expect({ url, status: refused.statusCode, body: refused.json() }).toEqual({
        url,
        status: 403,
        body: { message: 'Invalid signature.' },
      });
    }
    const posted = await api.app.inject({ method: 'POST', url: icon.replace('http://localhost', '') });
    expect([posted.statusCode, posted.headers.allow]).toEqual([405, 'GET, HEAD']);
    const unknown = await get(api.deps.imageUrls.sign(999_999));
    expect([unknown.statusCode, unknown.json()]).toEqual([404, { message: 'Not Found' }]);
    const { storageKey } = await api.database.global.packageImage.findFirstOrThrow({
      where: { path: 'images/erp.svg' },
    });
    await api.deps.storage.delete(storageKey);
    expect((await get(icon)).json()).toEqual({ message: 'Not Found' });
  });
});
