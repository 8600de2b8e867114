import { describe, expect } from 'vitest';
import { deleteNode } from '#src/automation/nodes/nodes.service.ts';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { insertRuns } from '#src/automation/runs/run-creation.service.ts';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { packageArchive } from '#test/automation/packages/package-archive.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { byPath, type FieldErrorList } from '#test/setup/field-errors.ts';

const tenantId = 'acme-shop';
const broken = 'import "node:fs"; export const execute = () => ({});';

let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  const send = ['1.0.0', '1.4.0', '2.0.0-rc.1'].map((version) => ({ version, nodes: [{ name: 'send', version }] }));
  const bad = { version: '3.0.0', nodes: [{ name: 'bad', version: '1.0.0', code: broken }] };
  const credential = { key: 'login', type: 'credentials-ref', credential_types: ['core:bearer'] };
  const either = { key: 'other', type: 'credentials-ref', credential_types: ['core:bearer', 'core:basic'] };
  const login = {
    version: '4.0.0',
    nodes: [{ name: 'login', version: '1.0.0', manifest: { config: [credential, either] } }],
  };
  for (const { version, nodes } of [...send, bad, login]) {
    const archive = packageArchive({ name: 'made', version, namespace: 'made', nodes });
    await registerNodePackage(api.deps, { orgId: 'acme', archive });
  }
});

const node = (id: string, slug: string, version = 'latest', config: object = {}) => ({
  id,
  node: slug,
  version,
  config,
});
const makeBlob = (nodes: object[], more: object = {}) => ({ version: 'v1', nodes, edges: [], ...more });

interface Saved {
  __typename: string;
  workflow: { databaseId: number };
  fields: FieldErrorList;
}
let made = 0;
const save = async (blob: object): Promise<Saved> => {
  const { data, errors } = await api.graphql<{ createWorkflow: Saved }>(
    `mutation ($input: CreateWorkflowInput!) {
      createWorkflow(input: $input) {
        __typename
        ... on CreateWorkflowPayload { workflow { databaseId } }
        ... on ValidationError { fields { path messages } }
      }
    }`,
    { input: { name: `Workflow ${++made}`, blob } },
  );
  expect(errors).toBeUndefined();
  return data.createWorkflow;
};
const saved = async (blob: object) => (await save(blob)).workflow.databaseId;

const change = async (id: number, blob: object) => {
  const { errors } = await api.graphql(
    'mutation ($input: UpdateWorkflowInput!) { updateWorkflow(input: $input) { __typename } }',
    { input: { id: String(id), blob } },
  );
  expect(errors).toBeUndefined();
};

const build = (workflowId: number) => buildWorkflow(api.deps, { tenantId, workflowId });
const read = (id: number) =>
  api.database.reader(tenantId).workflow.findFirstOrThrow({ where: { tenantId, id: BigInt(id) } });
const readBundle = async (id: number) => {
  const { bundleId } = await read(id);
  const bundle = await api.database
    .reader(tenantId)
    .workflowBundle.findFirstOrThrow({ where: { tenantId, id: bundleId as bigint } });
  return bundle.content as {
    blob: Record<string, unknown>;
    nodes: Record<string, { version: string; codeHash: string }>;
  };
};

describe('saving a workflow', () => {
  test.each([
    ['an unknown node', makeBlob([node('a', 'made:none')]), 'blob.nodes.0.node'],
    ['an unknown version', makeBlob([node('a', 'made:send', '9.0.0')]), 'blob.nodes.0.version'],
    [
      'a node in a loop',
      makeBlob([
        node('l', 'core:for-each', '1.0.0', { items: [], body: { nodes: [node('a', 'made:none')], edges: [] } }),
      ]),
      'blob.nodes.0.config.body.nodes.0.node',
    ],
    ['a cycle', makeBlob([node('a', 'core:merge')], { edges: [{ from: { node: 'a' }, to: 'a' }] }), 'blob.edges'],
    [
      'a branch a node does not have',
      makeBlob([node('a', 'core:if'), node('b', 'core:merge')], {
        edges: [{ from: { node: 'a', branch: 'maybe' }, to: 'b' }],
      }),
      'blob.edges.0.from.branch',
    ],
  ])('refuses %s, and says where', async (_what, blob, place) => {
    const refused = await save(blob);
    expect(refused).toMatchObject({
      __typename: 'ValidationError',
      fields: [{ path: place, messages: [expect.any(String)] }],
    });
  });

  test('refuses a workflow that would be its own error workflow', async () => {
    const id = await saved(makeBlob([]));
    const { data } = await api.graphql<{ updateWorkflow: Saved }>(
      'mutation ($input: UpdateWorkflowInput!) { updateWorkflow(input: $input) { __typename ... on ValidationError { fields { path messages } } } }',
      { input: { id: String(id), blob: makeBlob([], { settings: { error_workflow_id: id } }) } },
    );
    expect(byPath(data.updateWorkflow.fields)).toHaveProperty(['blob.settings.error_workflow_id']);
  });
});

describe('building a workflow', () => {
  test('resolves every node to its version and code, including those in loops', async () => {
    const body = { nodes: [node('inner', 'made:send', '^1.0.0')], edges: [] };
    const id = await saved(
      makeBlob(
        [
          node('a', 'core:set', '1.0.0', { values: {} }),
          node('b', 'made:send'),
          node('each', 'core:for-each', '1.x', { items: [1], body }),
        ],
        {
          settings: { concurrency: 3 },
        },
      ),
    );
    await build(id);
    expect(await read(id)).toMatchObject({
      bundleStatus: 'ready',
      bundleRevision: 1,
      bundleError: null,
      concurrency: 3,
    });
    const { nodes, blob } = await readBundle(id);
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(nodes).toEqual({
      'core:set@1.0.0': { version: '1.0.0', codeHash: null },
      'made:send@latest': { version: '2.0.0-rc.1', codeHash: hash },
      'core:for-each@1.x': { version: '1.0.0', codeHash: null },
      'made:send@^1.0.0': { version: '1.4.0', codeHash: hash },
    });
    // Defaults of the blob's schema apply within loop bodies too.
    expect(blob).toMatchObject({
      nodes: [{}, {}, { config: { body: { nodes: [{ id: 'inner', on_error: 'fail' }] } } }],
    });
  });

  test('says why a workflow cannot run, and keeps the last runnable bundle', async () => {
    const id = await saved(makeBlob([node('a', 'made:send', '1.0.0')]));
    await build(id);
    const { bundleId } = await read(id);
    await change(id, makeBlob([node('b', 'made:bad')]));
    await build(id);
    expect(await read(id)).toMatchObject({ bundleStatus: 'failed', bundleRevision: 2, bundleId });
    expect((await read(id)).bundleError).toContain('b: made:bad 1.0.0 has no built code');
    await change(id, makeBlob([node('b', 'made:send', '1.0.0')]));
    await build(id);
    expect(await read(id)).toMatchObject({ bundleStatus: 'ready', bundleRevision: 3, bundleError: null });
    expect((await read(id)).bundleId).not.toBe(bundleId);
  });

  const loop = (inner: object) => ({ items: [1], body: { nodes: [inner], edges: [] } });

  test.each([
    [node('a', 'core:http-request'), 'a: config.url: is required.'],
    [node('a', 'core:if'), 'a: config.condition: is required.'],
    [node('a', 'core:if', 'latest', { condition: ' ' }), 'a: config.condition: is required.'],
    [node('a', 'core:filter', 'latest', { items: [1], condition: null }), 'a: config.condition: is required.'],
    [node('a', 'core:set'), 'a: config.values: is required.'],
    [node('a', 'core:switch', 'latest', { cases: [] }), 'a: config.value: is required.'],
    [node('a', 'core:set', 'latest', { values: 'none' }), 'a: config.values: must be an object.'],
    [
      node('a', 'core:http-request', 'latest', { url: 'ftp://erp.example', method: '{{ trigger.payload }}' }),
      'a: config.url: must be an absolute http or https URL, such as https://api.example.com/orders.',
    ],
    [
      node('a', 'core:http-request', 'latest', { url: '{{ secrets.URL }}/x', timeout_ms: '{{ 5 }} s' }),
      'a: config.timeout_ms: must be a number.',
    ],
    [
      node('a', 'core:switch', 'latest', { value: 1, cases: [{ equals: 1, branch: 'not a name' }] }),
      'a: config.cases.0.branch: A branch is',
    ],
    [node('a', 'core:wait', 'latest', {}), 'a: config: needs exactly one: '],
    [node('a', 'core:wait', 'latest', { until: 'tomorrow' }), 'a: config.until: must be a date'],
    [node('a', 'core:for-each', 'latest', loop(node('b', 'core:fail'))), 'a/b: config.message: is required.'],
    [
      node('a', 'core:state-get', 'latest', { namespace: 'none', key: 'k' }),
      'a: config.namespace: Declare none as read in',
    ],
    [
      node('a', 'core:http-request', 'latest', { url: 'https://erp.example', headers: { 'x\ny': '1' } }),
      'a: config.headers: has a header whose name cannot be sent: "x\\ny".',
    ],
    [
      node('a', 'core:http-request', 'latest', { url: 'https://me:pw@erp.example' }),
      'a: config.url: must not hold a user',
    ],
    [node('a', 'core:http-request', 'latest', { url: 'https://{{ "x y" }}/' }), 'a: config.url: must be an absolute'],
    [node('a', 'core:wait', 'latest', { duration_ms: '{{ "abc" }}' }), 'a: config.duration_ms: must be a'],
    [node('a', 'core:set', 'latest', { values: '{{ "te" & "xt" }}' }), 'a: config.values: must be an object.'],
    [
      node('a', 'core:set', 'latest', { values: { b: '{{ $nosuch(trigger.payload) }}' } }),
      'a: config.values.b: There is no function $nosuch; correct its name.',
    ],
    [node('a', 'core:if', 'latest', { condition: '$nosuch(1)' }), 'a: config.condition: There is no function $nosuch'],
    [
      node('a', 'core:set', 'latest', { values: { b: '{{ $length(5) }}' } }),
      'a: config.values.b: Argument 1 of function',
    ],
    [
      node('a', 'core:http-request', 'latest', { url: 'https://erp.example', credential: 99_999 }),
      'a: config.credential: There is no credential 99999;',
    ],
    [
      node('a', 'core:sub-workflow', 'latest', { workflow_id: 99_999 }),
      'a: config.workflow_id: There is no workflow 99999;',
    ],
  ])('holds the constants of a built-in node against what it takes: %#', async (faulty, error) => {
    const id = await saved(makeBlob([faulty]));
    await build(id);
    const { bundleStatus, bundleError } = await read(id);
    expect({ bundleStatus, bundleError }).toEqual({
      bundleStatus: 'failed',
      bundleError: expect.stringContaining(error),
    });
  });

  test.each([
    node('a', 'core:http-request', 'latest', {
      url: '{{ trigger.payload.url }}',
      timeout_ms: '{{ 5 }}',
      method: 'get',
    }),
    node('a', 'core:if', 'latest', { condition: 'trigger.payload.total > 100' }),
    node('a', 'core:set', 'latest', { values: '{{ trigger.payload }}' }),
    node('a', 'core:switch', 'latest', { value: null, cases: '{{ trigger.payload.cases }}' }),
    node('a', 'core:wait', 'latest', { duration_ms: '{{ trigger.payload.ms }}' }),
    node('a', 'core:sub-workflow', 'latest', { workflow_id: '{{ trigger.payload.id }}', wait: '{{ true }}' }),
    node('a', 'core:state-get', 'latest', { namespace: '{{ trigger.payload.of }}', key: 'k' }),
    node('a', 'core:http-request', 'latest', { url: 'https://{{ "erp" }}.example', headers: { a: '{{ run.id }}' } }),
    node('a', 'core:set', 'latest', {
      values: {
        own: '{{ ($twice := function($n) { $n * 2 }; $twice(trigger.payload)) }}',
        failing: '{{ $error("Not yet.") }}',
        made: '{{ $map([1, 2], function($v) { $v + 1 }) }}',
        now: '{{ $now() }} {{ $millis() }}',
        bound: 'x{{ trigger.payload.items#$i.{ "at": $i } }}',
      },
    }),
  ])('leaves to the run what an expression makes: %#', async (fine) => {
    const id = await saved(makeBlob([fine]));
    await build(id);
    expect(await read(id)).toMatchObject({ bundleStatus: 'ready', bundleError: null });
  });

  test('refuses an error workflow that does not exist', async () => {
    const id = await saved(makeBlob([], { settings: { error_workflow_id: 99_999 } }));
    await build(id);
    expect(await read(id)).toMatchObject({
      bundleStatus: 'failed',
      bundleError: 'settings.error_workflow_id: There is no workflow 99999; name one that exists.',
    });
  });

  test('notices a node that was deleted since', async () => {
    await registerNodePackage(api.deps, {
      orgId: 'acme',
      archive: packageArchive({ name: 'gone', namespace: 'gone', nodes: [{ name: 'a', version: '1.0.0' }] }),
    });
    const id = await saved(makeBlob([node('a', 'gone:a')]));
    await build(id);
    const { bundleId } = await read(id);
    await deleteNode(api.deps, 'gone:a', '1.0.0');
    await build(id);
    expect(await read(id)).toMatchObject({
      bundleStatus: 'failed',
      bundleError: expect.stringContaining('gone:a'),
      bundleId,
    });
  });

  test('does not touch a newer revision', async () => {
    const id = await saved(makeBlob([node('a', 'core:set', '1.0.0', { values: {} })]));
    const { global } = api.database;
    // The build has read revision 1 when revision 2 is saved.
    const slow = {
      ...api.deps,
      database: {
        ...api.database,
        global: {
          ...global,
          node: { findMany: async (query: never) => (await change(id, makeBlob([])), global.node.findMany(query)) },
        },
      },
    };
    await buildWorkflow(slow as never, { tenantId, workflowId: id });
    expect(await read(id)).toMatchObject({
      revision: 2,
      bundleStatus: 'building',
      bundleRevision: null,
      bundleId: null,
    });
    await build(id);
    expect(await read(id)).toMatchObject({ bundleStatus: 'ready', bundleRevision: 2 });
    expect((await readBundle(id)).nodes).toEqual({});
  });

  test('ends many builds of one workflow with one state', async () => {
    const id = await saved(makeBlob([node('a', 'core:set', '1.0.0', { values: {} })]));
    await Promise.all(Array.from({ length: 8 }, () => build(id)));
    expect(await read(id)).toMatchObject({ bundleStatus: 'ready', bundleRevision: 1 });
  });

  test('does nothing for a deleted workflow', async () => {
    const id = await saved(makeBlob([]));
    await api.graphql('mutation ($id: ID!) { deleteWorkflow(input: { id: $id }) { __typename } }', { id: String(id) });
    await build(id);
    expect(await read(id)).toMatchObject({ bundleStatus: 'building', bundleId: null });
    await expect(build(9_999_999)).resolves.toBeUndefined();
  });

  test('releases held runs when the limit is raised', async () => {
    const limited = (concurrency?: number) =>
      makeBlob([node('a', 'core:set', '1.0.0', { values: {} })], { settings: { concurrency } });
    const id = await saved(limited(1));
    await build(id);
    const { bundleId, concurrency } = await read(id);
    const actor = systemActor('acme', tenantId);
    const run = {
      actor,
      workflowId: id,
      bundleId: Number(bundleId),
      revision: 1,
      triggerId: null,
      triggerHandle: null,
      triggerType: 'manual' as const,
      payload: {},
      concurrency,
    };
    await api.database.withSystem((client) => insertRuns(client, api.deps, [run, run, run, run]));
    const held = () =>
      api.database.reader(tenantId).run.count({ where: { tenantId, workflowId: BigInt(id), held: true } });
    expect(await held()).toBe(3);
    await change(id, limited(3));
    await build(id);
    expect(await held()).toBe(1);
    await change(id, limited());
    await build(id);
    expect(await held()).toBe(0);
  });
});

describe("a workflow's credentials", () => {
  test('are those that its nodes name, with their types if known', async () => {
    const body = { nodes: [node('inner', 'made:login', '1.0.0', { login: '8' })], edges: [] };
    const id = await saved(
      makeBlob([
        node('a', 'made:login', 'latest', { login: 7, other: 9 }),
        node('each', 'core:for-each', '1.0.0', { items: [], body }),
      ]),
    );
    const query =
      'query ($id: ID!) { workflow(id: $id) { credentials { nodeId field credentialId credentialTypeSlug } } }';
    const { data, errors } = await api.graphql(query, { id: String(id) });
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      workflow: {
        credentials: [
          { nodeId: 'a', field: 'login', credentialId: 7, credentialTypeSlug: 'core:bearer' },
          { nodeId: 'a', field: 'other', credentialId: 9, credentialTypeSlug: null },
          { nodeId: 'each/inner', field: 'login', credentialId: 8, credentialTypeSlug: 'core:bearer' },
        ],
      },
    });
  });
});
