import { describe, expect } from 'vitest';
import { deleteNode } from '#src/automation/nodes/nodes.service.ts';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { addCallPackage } from '#test/automation/connectors/calls/call-package.ts';
import { packageArchive, type TestNode } from '#test/automation/packages/package-archive.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { node } from '#test/setup/engine.ts';
import { listUpgrades, previewFields } from './upgrade-documents.ts';

let api: TestApp;

const sender = (version: string, manifest: object): TestNode => ({ name: 'send', version, manifest: { ...manifest } });
const url = { key: 'url', type: 'url', required: true };
const first = {
  config: [url, { key: 'note', type: 'string' }, { key: 'key', type: 'credentials-ref', credential_types: ['up:a'] }],
  inputs: [{ name: 'order' }],
  outputs: [{ name: 'number', type: 'string' }, { name: 'raw' }],
  branches: ['default', 'refused'],
};
const second = {
  config: [
    { ...url, pattern: 'example' },
    { key: 'channel', type: 'select', options: [{ value: 'a' }], required: true },
    { key: 'key', type: 'credentials-ref', credential_types: ['up:b'] },
  ],
  inputs: [],
  outputs: [{ name: 'number', type: 'number' }],
  branches: ['default', 'queued'],
};

let releases = 0;
async function register(nodes: TestNode[]): Promise<void> {
  const version = `1.0.${(releases += 1)}`;
  const archive = packageArchive({ name: 'up', version, namespace: 'up', nodes });
  await registerNodePackage(api.deps, { orgId: 'acme', archive });
}

test.beforeAll(async ({ api: started }) => {
  api = started;
  await register([sender('1.0.0', first)]);
  await register([sender('1.1.0', first), { name: 'broken', version: '1.0.0' }, { name: 'beta', version: '1.0.0' }]);
  await register([
    sender('2.0.0', second),
    { name: 'broken', version: '2.0.0', code: 'export const execute = ;' },
    { name: 'beta', version: '2.0.0-rc.1' },
    { name: 'gone', version: '1.0.0' },
  ]);
});

let count = 0;
async function makeWorkflow(nodes: object[], edges: object[] = []): Promise<number> {
  const { data } = await api.graphql<{ createWorkflow: { workflow: { databaseId: number } } }>(
    'mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { ... on CreateWorkflowPayload { workflow { databaseId } } ... on Error { message } ... on ValidationError { fields { path messages } } } }',
    { input: { name: `Outdated ${(count += 1)}`, blob: { version: 'v1', nodes, edges } } },
  );
  expect(data.createWorkflow, JSON.stringify(data)).toHaveProperty('workflow');
  return data.createWorkflow.workflow.databaseId;
}

const saveDraft = async (workflowId: number, nodes: object[]) => {
  const { data } = await api.graphql<{ answer: object }>(
    'mutation ($input: SaveWorkflowDraftInput!) { answer: saveWorkflowDraft(input: $input) { __typename ... on Error { message } ... on ValidationError { fields { path messages } } } }',
    { input: { workflowId, version: 0, baseRevision: 1, blob: { version: 'v1', nodes } } },
  );
  expect(data.answer).toEqual({ __typename: 'SaveWorkflowDraftPayload' });
};

interface Page {
  edges: { node: Record<string, unknown> }[];
  pageInfo: { startCursor: string; endCursor: string };
  totalCount: number;
}
async function list(id: number | string, fields = previewFields, page: object = {}, as: object = {}) {
  const { data, errors } = await api.graphql<{ nodeUpgrades: Page | null }>(listUpgrades(fields), { id, ...page }, as);
  expect(errors, JSON.stringify(errors)).toBeUndefined();
  return data.nodeUpgrades;
}
const rows = async (id: number, fields?: string) => (await list(id, fields))?.edges.map((edge) => edge.node);

const up = (id: string, name: string, version: string, config: object = {}) => ({
  id,
  node: `up:${name}`,
  version,
  config,
});
const send = (id: string, version: string, config: object = {}) =>
  up(id, 'send', version, { url: 'https://example.com', ...config });

describe('the outdated nodes of a workflow', () => {
  test('say what differs between the versions, and what the newest finds wrong', async () => {
    const edges = [{ from: { node: 'a', branch: 'refused' }, to: 'b' }];
    const id = await makeWorkflow([send('a', '1.0.0', { url: 'https://erp.test' }), node('b', 'set')], edges);
    expect(await rows(id)).toEqual([
      {
        path: 'a',
        slug: 'up:send',
        version: '1.0.0',
        current: '1.0.0',
        newest: '2.0.0',
        state: 'INVALID',
        issues: [
          { code: 'INVALID_VALUE', field: 'config.url', message: expect.any(String), path: 'blob.nodes.0.config.url' },
          {
            code: 'REQUIRED',
            field: 'config.channel',
            message: expect.any(String),
            path: 'blob.nodes.0.config.channel',
          },
          { code: 'UNKNOWN_BRANCH', field: null, message: expect.stringContaining('refused'), path: 'blob.nodes.0' },
        ],
        diff: {
          fields: {
            added: [{ key: 'channel' }],
            removed: [{ key: 'note' }],
            changed: [
              { path: 'key.credential_types.0', from: 'up:a', to: 'up:b' },
              { path: 'url.pattern', from: null, to: 'example' },
            ],
          },
          required: ['channel'],
          credentials: [{ field: 'key', added: ['up:b'], removed: ['up:a'] }],
          inputs: { added: [], removed: [{ name: 'order' }], changed: [] },
          outputs: {
            added: [],
            removed: [{ name: 'raw' }],
            changed: [{ path: 'number.type', from: 'string', to: 'number' }],
          },
          branches: { added: ['queued'], removed: ['refused'] },
        },
      },
    ]);
  });

  test('include nodes that describe their calls and so have no code', async () => {
    const call = { method: 'GET', base_url: 'https://shop.example', path: '/orders', parameters: [], answers: [] };
    for (const version of ['1.0.0', '2.0.0']) {
      await addCallPackage(api, { namespace: 'described', version, nodes: [{ name: 'list', call }] });
    }
    const id = await makeWorkflow([{ id: 'a', node: 'described:list', version: '1.0.0', config: {} }]);
    expect(await rows(id, 'path newest state')).toEqual([{ path: 'a', newest: '2.0.0', state: 'READY' }]);
  });

  test('are ready where the config is valid as it is, expressions included', async () => {
    const id = await makeWorkflow([send('a', '^1.0.0', { channel: '{{ trigger.payload.channel }}' })]);
    expect(await rows(id, 'path version current newest state issues { code }')).toEqual([
      { path: 'a', version: '^1.0.0', current: '1.1.0', newest: '2.0.0', state: 'READY', issues: [] },
    ]);
  });

  test.each<[string, object, object | undefined]>([
    ['a node in its newest version', send('a', '2.0.0', { channel: 'a' }), undefined],
    ['a node that asks for the latest', send('a', 'latest', { channel: 'a' }), undefined],
    ['a core node', node('a', 'set'), undefined],
    ['a version that does not bundle', up('a', 'broken', '1.0.0'), undefined],
    ['a prerelease', up('a', 'beta', '1.0.0'), undefined],
  ])('leave out %s', async (_name, one, expected) => {
    expect(await rows(await makeWorkflow([one]))).toEqual(expected ?? []);
  });

  test('are those of the draft where there is one, also in loops, and also of an invalid one', async () => {
    const id = await makeWorkflow([send('published', '1.0.0')]);
    const inner = node('inner', 'for-each', { items: [1], body: { nodes: [send('b', '1.0.0')], edges: [] } });
    const each = node('each', 'for-each', { items: [1], body: { nodes: [inner, { odd: 1 }], edges: [] } });
    const loop = node('loop', 'for-each', { items: [1], body: { nodes: [inner], edges: [] } });
    const cycle = [{ from: { node: 'loop' }, to: 'loop' }];
    await saveDraft(id, [{ id: 'unfinished' }, send('a', '1.1.0'), each, { ...loop, more: cycle }]);
    expect((await rows(id, 'path'))?.map(({ path }) => path)).toEqual(['a', 'loop/inner/b']);
  });

  test('include nodes and versions that are not registered, without a downgrade', async () => {
    const id = await makeWorkflow([up('a', 'gone', '1.0.0')]);
    await deleteNode(api.deps, 'up:gone', '1.0.0');
    expect(await rows(id, 'current newest state diff { required } issues { code }')).toEqual([
      { current: null, newest: null, state: 'UNAVAILABLE', diff: null, issues: [] },
    ]);
    await saveDraft(id, [
      send('deleted', '1.0.7', { channel: 'a' }),
      send('later', '3.0.0'),
      send('range', '>=1.5.0 <2', { channel: 'a' }),
      send('no-version', 'newest'),
      { id: 'foreign', node: 'nobody:knows', version: '1.0.0' },
    ]);
    expect(await rows(id, 'path current newest state')).toEqual([
      { path: 'deleted', current: null, newest: '2.0.0', state: 'READY' },
      { path: 'later', current: null, newest: null, state: 'UNAVAILABLE' },
      { path: 'range', current: null, newest: '2.0.0', state: 'READY' },
      { path: 'no-version', current: null, newest: null, state: 'UNAVAILABLE' },
      { path: 'foreign', current: null, newest: null, state: 'UNAVAILABLE' },
    ]);
  });

  test('come in pages, forwards and backwards', async () => {
    const id = await makeWorkflow([]);
    await saveDraft(
      id,
      ['a', 'b', 'c', 'd', 'e'].map((name) => send(name, '1.0.0')),
    );
    const paths = (page: Page | null) => page?.edges.map((edge) => edge.node['path']);
    const one = await list(id, 'path', { first: 2 });
    expect(paths(one)).toEqual(['a', 'b']);
    expect(one).toMatchObject({ totalCount: 5, pageInfo: { hasNextPage: true, hasPreviousPage: false } });
    const two = await list(id, 'path', { first: 3, after: one?.pageInfo.endCursor });
    expect(paths(two)).toEqual(['c', 'd', 'e']);
    expect(two).toMatchObject({ pageInfo: { hasNextPage: false, hasPreviousPage: true } });
    expect(paths(await list(id, 'path', { last: 1, before: two?.pageInfo.startCursor }))).toEqual(['b']);
  });

  test('are listed page by page where a draft has 10,000', async () => {
    const id = await makeWorkflow([]);
    const loops = Array.from({ length: 20 }, (_loop, index) =>
      node(`each-${index}`, 'for-each', {
        body: {
          nodes: Array.from({ length: 500 }, (_node, at) => ({ id: `n${at}`, node: 'up:send', version: '1.0.0' })),
        },
      }),
    );
    await saveDraft(id, loops);
    const page = await list(id, 'path state', { first: 100 });
    expect(page).toMatchObject({ totalCount: 10_000, pageInfo: { hasNextPage: true } });
    expect(page?.edges[99]).toEqual({ node: { path: 'each-0/n99', state: 'INVALID' } });
  });

  test('are null for a workflow that is not there, or another tenant’s', async () => {
    const id = await makeWorkflow([send('a', '1.0.0')]);
    expect(await list(id, 'path', {}, { tenant: 'acme-outlet' })).toBeNull();
    expect(await list(99_999_999)).toBeNull();
  });
});
