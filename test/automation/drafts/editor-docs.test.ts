import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parse, validate } from 'graphql';
import { expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import { fireRun, node, untilRun } from '#test/setup/engine.ts';
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

test('the documents of the page load, save, conflict, try, capture and publish', async ({ api }) => {
  for (const text of documents.values()) expect(validate(schema, parse(text))).toEqual([]);
  const run = async (name: string, variables: object) => {
    const { data, errors } = await api.graphql<Record<string, object>>(documents.get(name) as string, variables);
    expect(errors).toBeUndefined();
    return Object.values(data)[0];
  };
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
  await untilRun(api, Number(Buffer.from(runId, 'base64').toString().split(':')[1]));
  expect(await run('tried', { id: runId })).toMatchObject({
    status: 'SUCCEEDED',
    isTest: true,
    steps: [{ path: 'a', origin: 'EXECUTED', outputs: { n: 2 } }],
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
  expect(samples()[0]?.payload?.data).toMatchObject({ triggerCaptured: { payload: { order: 1 } } });
  client.socket.close();
  await client.closed;
  expect(await run('publish', { input: { workflowId: id, version: 2 } })).toMatchObject({ workflow: { revision: 2 } });
  await untilChange('DRAFT_SAVED');
  await untilChange('PUBLISHED');
  watcher.socket.close();
});
