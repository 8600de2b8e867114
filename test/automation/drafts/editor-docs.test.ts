import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parse, validate } from 'graphql';
import { expect } from 'vitest';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { chain, fireRun, node, untilRun } from '#test/setup/engine.ts';
import { connect, ofOperation, subscribe } from '#test/setup/live.ts';
import { makeWorkflow } from '#test/setup/runs.ts';
import { schema } from '#test/setup/schema.ts';

const page = await readFile(new URL('../../../docs/editor.md', import.meta.url), 'utf8');
const documents = new Map(
  [...page.matchAll(/^```graphql (\S+)\n([\s\S]*?)^```$/gm)].map(([, name = '', text = '']) => [name, text]),
);

test.beforeAll(async ({ startEngine }) => {
  await startEngine();
});

/** Sends a document of the page, and answers its only field. */
const documentsRunner = (api: TestApp) => async (name: string, variables: object) => {
  const { data, errors } = await api.graphql<Record<string, object>>(documents.get(name) as string, variables);
  expect(errors).toBeUndefined();
  return Object.values(data)[0];
};

const localId = (id: string): number => Number(Buffer.from(id, 'base64').toString().split(':')[1]);

test('the documents of the page load, save, conflict, try, capture, publish and watch', async ({ api }) => {
  for (const text of documents.values()) expect(validate(schema, parse(text))).toEqual([]);
  const run = documentsRunner(api);
  const id = await makeWorkflow(api.deps, 'acme-shop', 'Edited by the page');
  const watcher = await connect(api);
  const untilChange = (change: string) =>
    watcher.until((messages) =>
      messages.some(({ payload }) => payload?.data?.['workflowUpdated']?.['change'] === change),
    );
  subscribe(watcher, 'watch', documents.get('watch') as string, { id, editing: true });
  await untilChange('EDITORS');
  const blob = (n: number) => ({ version: 'v1', nodes: [node('a', 'set', { values: { n } })], edges: [] });
  expect(await run('load', { id })).toMatchObject({ revision: 1, draft: null });
  const input = { workflowId: id, version: 0, baseRevision: 1 };
  expect(await run('save', { input: { ...input, blob: blob(1) } })).toMatchObject({
    isMerged: false,
    draft: { version: 1, baseRevision: 1, validation: { valid: true } },
  });
  expect(await run('save', { input: { ...input, blob: blob(2) } })).toMatchObject({
    __typename: 'DraftConflict',
    version: 1,
    baseRevision: 1,
    conflicts: [{ kind: 'NODE', path: 'a' }],
  });
  expect(await run('save', { input: { ...input, version: 1, blob: blob(2) } })).toMatchObject({
    draft: { version: 2 },
  });
  const tried = await run('try', { input: { workflowId: id, draft: true } });
  expect(tried).toMatchObject({ run: { isTest: true } });
  const runId = (tried as { run: { id: string } }).run.id;
  await untilRun(api, localId(runId));
  expect(await run('tried', { id: runId })).toMatchObject({
    status: 'SUCCEEDED',
    isTest: true,
    stepConnection: { edges: [{ node: { path: 'a', origin: 'EXECUTED', outputPreview: { n: 2 } } }] },
  });
  subscribe(watcher, 'follow', documents.get('follow') as string, { id: runId });
  await watcher.until(() => ofOperation(watcher.messages, 'follow').some(({ type }) => type === 'complete'));
  expect(ofOperation(watcher.messages, 'follow')[0]?.payload?.data).toMatchObject({
    runUpdated: { status: 'SUCCEEDED', stepCounts: [{ nodeId: 'a', total: 1, byStatus: { succeeded: 1 } }] },
  });
  const section = { draft: true, from: 'a', to: 'a', reuse: runId };
  expect(await run('try', { input: { workflowId: id, ...section } })).toMatchObject({ run: { isTest: true } });
  const { id: triggerId, handle } = await api.database.withTenant('acme-shop', (tx) =>
    tx.trigger.create({
      data: { tenantId: 'acme-shop', workflowId: BigInt(id), type: 'webhook', name: 'Captured by the page' },
    }),
  );
  const client = await connect(api);
  subscribe(client, '1', documents.get('capture') as string, { triggerId: String(triggerId) });
  const samples = () => ofOperation(client.messages, '1').filter(({ type }) => type === 'next');
  // A subscription is not acknowledged, so the trigger fires until one is heard.
  while (samples().length === 0) {
    await fireRun(api, { tenantId: 'acme-shop', handle }, { order: 1 }).catch(() => undefined);
    await delay(100);
  }
  // The workflow is not built here.
  expect(samples()[0]?.payload).toEqual({
    data: {
      triggerCaptured: {
        payload: { order: 1 },
        firedAt: expect.any(String),
        run: null,
        deadLetter: { id: expect.any(String) },
      },
    },
  });
  client.socket.close();
  await client.closed;
  expect(await run('publish', { input: { workflowId: id, version: 2 } })).toMatchObject({ workflow: { revision: 2 } });
  await untilChange('DRAFT_SAVED');
  await untilChange('PUBLISHED');
  watcher.socket.close();
});

test('the documents of the page repair a failed run', async ({ api }) => {
  const run = documentsRunner(api);
  const workflowId = await createWorkflow(api, 'Repaired by the page', {
    version: 'v1',
    nodes: [node('a', 'set', { values: { n: 1 } }), node('b', 'fail', { message: 'The ERP knows no order 1.' })],
    edges: chain('a', 'b'),
  });
  const input = { workflowId, payload: { order: 1 } };
  await buildWorkflow(api.deps, { tenantId: 'acme-shop', workflowId: localId(workflowId) });
  const started = await run('try', { input });
  const { id } = (started as { run: { id: string } }).run;
  expect(await untilRun(api, localId(id))).toMatchObject({ status: 'failed' });

  expect(await run('broken', { id })).toMatchObject({
    status: 'FAILED',
    revision: 1,
    payload: { order: 1 },
    workflow: { revision: 1, draft: null },
    workflowRevision: { nodes: [{ path: 'a' }, { path: 'b', slug: 'core:fail' }] },
    stepConnection: { edges: [{ node: { path: 'b', error: { message: 'The ERP knows no order 1.' } } }] },
  });
  const corrected = {
    version: 'v1',
    nodes: [node('a', 'set', { values: { n: 1 } }), node('b', 'respond', { value: '{{ nodes.a.outputs.n }}' })],
    edges: chain('a', 'b'),
  };
  expect(await run('save', { input: { workflowId, version: 0, baseRevision: 1, blob: corrected } })).toMatchObject({
    draft: { version: 1, validation: { valid: true } },
  });
  const tested = (await run('try', { input: { workflowId, draft: true, reuse: id } })) as { run: { id: string } };
  await untilRun(api, localId(tested.run.id));
  expect(await run('tried', { id: tested.run.id })).toMatchObject({
    status: 'SUCCEEDED',
    result: 1,
    stepConnection: {
      edges: [{ node: { path: 'a', origin: 'REUSED' } }, { node: { path: 'b', origin: 'EXECUTED' } }],
    },
  });
  expect(await run('publish', { input: { workflowId, version: 1 } })).toMatchObject({ workflow: { revision: 2 } });

  await buildWorkflow(api.deps, { tenantId: 'acme-shop', workflowId: localId(workflowId) });
  const rerun = (await run('rerun', { input: { id } })) as { run: { id: string } };
  expect(rerun).toMatchObject({ run: { revision: 2, retryOf: { id } } });
  expect(await untilRun(api, localId(rerun.run.id))).toMatchObject({ status: 'succeeded', result: 1 });
  expect(await run('retry', { input: { id } })).toMatchObject({
    warning: expect.stringContaining('revision'),
    run: { id, revision: 1 },
  });
  await untilRun(api, localId(id));
});

/** Creates a workflow with a manual trigger. */
async function createWorkflow(api: TestApp, name: string, blob: object): Promise<string> {
  const { data } = await api.graphql<{ createWorkflow: { workflow: { id: string } } }>(
    `mutation ($input: CreateWorkflowInput!) {
      createWorkflow(input: $input) { ... on CreateWorkflowPayload { workflow { id } } }
    }`,
    { input: { name, blob } },
  );
  const workflowId = data.createWorkflow.workflow.id;
  await api.graphql(
    `mutation ($id: ID!) {
      createTrigger(input: { workflowId: $id, type: MANUAL, name: "By hand" }) { ... on CreateTriggerPayload { trigger { id } } }
    }`,
    { id: workflowId },
  );
  return workflowId;
}
