import pg from 'pg';
import { expect, vi } from 'vitest';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { watchWorkflow } from '#src/automation/workflows/live/watch-workflow.service.ts';
import { findEditors } from '#src/automation/workflows/live/workflow-editors.reads.ts';
import { EditorPresence } from '#src/automation/workflows/live/workflow-editors.service.ts';
import { notifyWorkflow, workflowsChannel } from '#src/automation/workflows/workflow-notices.service.ts';
import { documents } from '#test/automation/drafts/draft-documents.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { node } from '#test/setup/engine.ts';
import { killListeners } from '#test/setup/lists.ts';
import { connect, ofOperation, type RawClient, subscribe } from '#test/setup/live.ts';
import { makeWorkflow } from '#test/setup/runs.ts';

const tenant = 'acme-shop';
const watch = `subscription ($id: ID!, $editing: Boolean) { workflowUpdated(id: $id, editing: $editing) {
  change by draftVersion revision workflow { databaseId revision bundle { status } draft { version } } editors { name } } }`;

let here: TestApp;
let there: TestApp;

test.beforeAll(async ({ api: started, startBeside }) => {
  here = started;
  there = await startBeside();
});

interface Update {
  change: string;
  by: string | null;
  draftVersion: number | null;
  revision: number | null;
  workflow: Record<string, unknown> | null;
  editors: { name: string }[];
}

const updates = ({ messages }: RawClient): Update[] =>
  ofOperation(messages, '1').flatMap(({ payload }) => (payload?.data?.['workflowUpdated'] as unknown as Update) ?? []);
const untilUpdate = (client: RawClient, found: (update: Update) => boolean) =>
  client.until(() => updates(client).find(found));

async function follow(app: TestApp, id: number, more: object = {}): Promise<RawClient> {
  const client = await connect(app);
  subscribe(client, '1', watch, { id, ...more });
  await untilUpdate(client, ({ change }) => change === 'CURRENT');
  return client;
}

async function edit(name: keyof typeof documents, input: object): Promise<string> {
  const { data, errors } = await there.graphql<{ answer: { __typename: string } }>(documents[name], { input });
  expect(errors).toBeUndefined();
  return data.answer.__typename;
}

test('reports saves, discards, publications, bundle states and the deletion, with who did them', async () => {
  const id = await makeWorkflow(here.deps, tenant, 'Watched');
  const client = await follow(here, id);
  // A change may come before the notices of the other process are listened to.
  let version = 0;
  const blob = (n: number) => ({ version: 'v1', nodes: [node('a', 'set', { values: { n } })], edges: [] });
  const save = async () => {
    await edit('save', { workflowId: id, version, baseRevision: 1, blob: blob(version) });
    version += 1;
  };
  await save();
  const saved = await untilUpdate(client, ({ change, draftVersion }) => change === 'DRAFT_SAVED' && draftVersion === 1);
  expect(saved).toMatchObject({
    by: expect.stringContaining('@'),
    revision: null,
    workflow: { draft: { version: 1 } },
  });
  await edit('discard', { workflowId: id, version });
  await untilUpdate(client, ({ change, draftVersion }) => change === 'DRAFT_DISCARDED' && draftVersion === version);
  version = 0;
  await edit('save', { workflowId: id, version, baseRevision: 1, blob: blob(7) });
  await edit('publish', { workflowId: id, version: 2 });
  const published = await untilUpdate(client, ({ change }) => change === 'PUBLISHED');
  expect(published).toMatchObject({ revision: 2, by: expect.stringContaining('@') });
  await untilUpdate(client, ({ change, workflow }) => change === 'BUNDLE' && isBundle(workflow, 'BUILDING'));
  await buildWorkflow(there.services.automation, { tenantId: tenant, workflowId: id });
  await untilUpdate(client, ({ change, workflow }) => change === 'BUNDLE' && isBundle(workflow, 'READY'));
  await edit('delete', { id: String(id) });
  await client.until((messages) => ofOperation(messages, '1').some(({ type }) => type === 'complete'));
  expect(updates(client).at(-1)).toMatchObject({ change: 'DELETED', workflow: null });
  client.socket.close();
});

const isBundle = (workflow: Record<string, unknown> | null, status: string): boolean =>
  (workflow?.['bundle'] as { status: string } | null | undefined)?.status === status;

test('says who has the editor open, in every process, until the socket is gone', async () => {
  const id = await makeWorkflow(here.deps, tenant, 'Edited together');
  const reader = await follow(here, id);
  const editor = await follow(there, id, { editing: true });
  const opened = await untilUpdate(reader, ({ editors }) => editors.length === 1);
  expect(opened.editors[0]?.name).toContain('@');
  editor.socket.terminate();
  await untilUpdate(
    reader,
    ({ change, editors }) => change === 'EDITORS' && editors.length === 0 && lastIsEmpty(reader),
  );
  reader.socket.close();
});

const lastIsEmpty = (client: RawClient): boolean => updates(client).at(-1)?.editors.length === 0;

test('an editor of a process that died ends once it has missed its heartbeats, and one that lives stays', async () => {
  const id = await makeWorkflow(here.deps, tenant, 'Edited by the dead');
  const reader = await follow(here, id);
  const living = new EditorPresence(there.deps, { beatMs: 50 });
  const unwatch = living.watch(tenant);
  const close = living.open(tenant, id, 'living@example.com');
  await here.database.withTenantSql(tenant, (tx) =>
    tx.query(
      `INSERT INTO workflow_editors (tenant_id, workflow_id, session, name, seen_at)
       VALUES ($1, $2, gen_random_uuid(), 'dead@example.com', now() - interval '31 seconds')`,
      [tenant, id],
    ),
  );
  await expect
    .poll(async () => (await findEditors(here.database, tenant, id)).map(({ name }) => name), { timeout: 30_000 })
    .toEqual(['living@example.com']);
  await untilUpdate(reader, ({ change, editors }) => change === 'EDITORS' && editors[0]?.name === 'living@example.com');
  close();
  unwatch();
  await expect.poll(() => findEditors(here.database, tenant, id), { timeout: 30_000 }).toEqual([]);
  reader.socket.close();
});

test('begins again with the workflow as it is after a lost connection', async () => {
  const id = await makeWorkflow(here.deps, tenant, 'Watched through an outage');
  const client = await follow(here, id);
  const before = updates(client).length;
  await killListeners(here);
  await client.until(() =>
    updates(client)
      .slice(before)
      .some(({ change }) => change === 'CURRENT'),
  );
  client.socket.close();
});

test('refuses workflows of other tenants and callers without a role', async () => {
  const foreign = await makeWorkflow(here.deps, 'other-shop', 'Theirs');
  const cases = [
    [await connect(here), foreign, 'NOT_FOUND'],
    [await connect(here), 'nonsense', 'NOT_FOUND'],
    [await connect(here, { roles: [] }), 1, 'FORBIDDEN'],
  ] as const;
  for (const [client, id, code] of cases) {
    subscribe(client, '1', watch, { id, editing: true });
    const [answer] = await client.until(
      (messages) => ofOperation(messages, '1').length > 0 && ofOperation(messages, '1'),
    );
    const errors = answer?.type === 'error' ? answer.payload : answer?.payload?.errors;
    expect(errors).toMatchObject([{ extensions: { code } }]);
    client.socket.close();
  }
  expect(await findEditors(here.database, 'other-shop', foreign)).toEqual([]);
});

test('begins with the workflow as it is, also when changes come before that was read', async () => {
  const id = await makeWorkflow(here.deps, tenant, 'Changed early');
  const open = await watchWorkflow(here.deps, tenant, BigInt(id), { editor: null });
  const waiting = { timeout: 60_000, interval: 50 };
  const events: string[] = [];
  const arrived: string[] = [];
  const detach = here.deps.live.subscribe(workflowsChannel, `${tenant}/${id}`, {
    onEntry: ([, , kind]) => void arrived.push(kind),
    onResync: () => undefined,
  });
  const lock = new pg.Client({ connectionString: here.databaseUrl });
  await lock.connect();
  await lock.query('BEGIN; LOCK TABLE workflows IN ACCESS EXCLUSIVE MODE');
  const stream = open({ event: ({ change }) => events.push(change) > 0, end: () => undefined });
  await vi.waitFor(async () => {
    await here.database.withTenant(tenant, async (tx) => notifyWorkflow(tx, tenant, BigInt(id), 'changed'));
    expect(arrived).toContain('changed');
  }, waiting);
  expect(events).toEqual([]);
  await lock.query('ROLLBACK');
  await lock.end();
  await vi.waitFor(() => expect(events.slice(0, 2)).toEqual(['current', 'changed']), waiting);
  stream.close();
  detach();
});
