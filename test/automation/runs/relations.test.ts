import pg from 'pg';
import { describe, expect, vi } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { insertRun, insertWorkflow } from './run-rows.ts';

let api: TestApp;
const ids: Record<string, number> = {};
let workflow: number;

test.beforeAll(async ({ api: started }) => {
  api = started;
  workflow = await insertWorkflow(api.database, 'acme-shop', 'Orders to ERP');
  for (const name of ['parent', 'first', 'second', 'third', 'rerun', 'alone'])
    ids[name] = await insertRun(api.database, 'acme-shop', workflow);
  const foreignWorkflow = await insertWorkflow(api.database, 'acme-outlet', 'Orders to ERP');
  ids['foreign'] = await insertRun(api.database, 'acme-outlet', foreignWorkflow);
  const relate = (column: string, name: string, to: string) =>
    api.database.system.query(`UPDATE runs SET ${column} = $1 WHERE id = $2`, [ids[to], ids[name]]);
  for (const name of ['first', 'second', 'third', 'foreign']) await relate('parent_run_id', name, 'parent');
  await relate('rerun_of_id', 'rerun', 'first');
  // A parent that retention deleted.
  await api.database.system.query('UPDATE runs SET parent_run_id = 999999, trigger_handle = NULL WHERE id = $1', [
    ids['alone'],
  ]);
});

const read = async <Data>(selection: string, name: string): Promise<Data> => {
  const { data, errors } = await api.graphql<{ run: Data }>(`query ($id: ID!) { run(id: $id) { ${selection} } }`, {
    id: ids[name],
  });
  expect(errors).toBeUndefined();
  return data.run;
};
const related = (name: string) => ({ databaseId: ids[name] });

describe('a run leads', () => {
  test('to the run that started it and the run that it runs again', async () => {
    expect(await read('parent { databaseId } retryOf { databaseId }', 'first')).toEqual({
      parent: related('parent'),
      retryOf: null,
    });
    expect(await read('parent { databaseId } retryOf { databaseId }', 'rerun')).toEqual({
      parent: null,
      retryOf: related('first'),
    });
    expect(await read('parent { databaseId }', 'alone')).toEqual({ parent: null });
  });

  test('to no trigger where none fired', async () => {
    expect(await read('triggerHandle trigger { name }', 'alone')).toEqual({ triggerHandle: null, trigger: null });
  });

  test('to its children of this tenant, page by page in both directions', async () => {
    interface Children {
      children: {
        totalCount: number;
        edges: { node: { databaseId: number } }[];
        pageInfo: { startCursor: string; endCursor: string; hasNextPage: boolean };
      };
    }
    const children = async (args: string) =>
      (
        await read<Children>(
          `children(${args}) { totalCount edges { node { databaseId } } pageInfo { startCursor endCursor hasNextPage } }`,
          'parent',
        )
      ).children;
    const page = await children('first: 2');
    expect(page.totalCount).toBe(3);
    expect(page.edges.map(({ node }) => node)).toEqual([related('first'), related('second')]);
    const next = await children(`first: 2, after: "${page.pageInfo.endCursor}"`);
    expect(next.edges.map(({ node }) => node)).toEqual([related('third')]);
    const back = await children(`last: 5, before: "${next.pageInfo.startCursor}"`);
    expect(back.edges.map(({ node }) => node)).toEqual([related('first'), related('second')]);
    expect((await children('offset: 2')).edges.map(({ node }) => node)).toEqual([related('third')]);
    expect(await read('reruns { totalCount edges { node { databaseId } } }', 'first')).toEqual({
      reruns: { totalCount: 1, edges: [{ node: related('rerun') }] },
    });
  });

  test('to the revision it ran, with its nodes and edges, also after the workflow has another', async () => {
    const node = (id: string) => ({ id, node: 'core:set', version: '1.0.0', config: { values: {} } });
    const first = { version: 'v1', nodes: [node('a'), node('b')], edges: [{ from: { node: 'a' }, to: 'b' }] };
    await api.database.system.query(`UPDATE workflows SET revision = 2, blob = $2 WHERE id = $1`, [
      workflow,
      JSON.stringify({ version: 'v1', nodes: [node('new')], edges: [] }),
    ]);
    await api.database.system.query(
      `INSERT INTO workflow_revisions (tenant_id, workflow_id, revision, blob, created_at) VALUES ('acme-shop', $1, 1, $2, now())`,
      [workflow, JSON.stringify(first)],
    );
    const selection = 'workflowRevision { revision blob nodes { path slug branches } edges { from branch to } }';
    const set = (path: string) => ({ path, slug: 'core:set', branches: ['default'] });
    expect(await read(selection, 'first')).toEqual({
      workflowRevision: {
        revision: 1,
        blob: first,
        nodes: [set('a'), set('b')],
        edges: [{ from: 'a', branch: 'default', to: 'b' }],
      },
    });
    await api.database.system.query('UPDATE runs SET revision = 2 WHERE id = $1', [ids['second']]);
    expect(await read(selection, 'second')).toMatchObject({ workflowRevision: { revision: 2, nodes: [set('new')] } });
    await api.database.system.query('UPDATE runs SET revision = 3 WHERE id = $1', [ids['third']]);
    expect(await read(selection, 'third')).toEqual({ workflowRevision: null });
  });
});

test('a list of runs is followed with as many statements for five as for two', async () => {
  const count = async (first: number) => {
    const sent = vi.spyOn(pg.Client.prototype, 'query');
    const { errors } = await api.graphql(
      `query ($first: Int!) { runs(first: $first) { edges { node {
        parent { status } retryOf { status } children(first: 3) { totalCount edges { node { status } } }
        workflowRevision { revision nodes { path } edges { to } } } } } }`,
      { first },
    );
    const statements = sent.mock.calls.map(([query]) => (query as { text?: string } | undefined)?.text ?? '');
    sent.mockRestore();
    expect(errors).toBeUndefined();
    return statements.filter((text) => /\b(runs|workflow_revisions)\b/.test(text)).length;
  };
  expect(await count(5)).toBe(await count(2));
});

test('another tenant follows no run to one of this tenant', async () => {
  const { data } = await api.graphql(
    'query ($id: ID!) { run(id: $id) { parent { databaseId } children { totalCount } } }',
    { id: ids['foreign'] },
    { tenant: 'acme-outlet' },
  );
  expect(data).toEqual({ run: { parent: null, children: { totalCount: 0 } } });
});

test.for([
  ['webhook', true],
  ['manual', false],
] as const)('a trigger shows the address that its sender calls: %s', async ([type, isCalled]) => {
  const { rows } = await api.database.system.query<{ id: number; handle: string }>(
    `INSERT INTO triggers (tenant_id, workflow_id, type, name, updated_at) VALUES ('acme-shop', $1, $2, 'Entry', now()) RETURNING id, handle`,
    [workflow, type],
  );
  const { data } = await api.graphql('query ($id: ID!) { trigger(id: $id) { url } }', { id: String(rows[0]?.id) });
  const url = `${api.deps.publicUrl.replace(/\/$/, '')}/api/v1/webhooks/${rows[0]?.handle}`;
  expect(data).toEqual({ trigger: { url: isCalled ? url : null } });
});

describe('a run names what started it', () => {
  const startedBy = (name: string) => read('startedBy { kind name }', name);
  const setColumns = (name: string, columns: string, values: unknown[]) =>
    api.database.system.query(`UPDATE runs SET ${columns} WHERE id = $1`, [ids[name], ...values]);

  test('a run of another workflow', async () => {
    expect(await startedBy('first')).toEqual({ startedBy: { kind: 'RUN', name: 'Orders to ERP' } });
    expect(await startedBy('alone')).toEqual({ startedBy: { kind: 'RUN', name: null } });
  });

  test('a webhook, and a schedule, by the name of its trigger', async () => {
    const { rows } = await api.database.system.query<{ id: number }>(
      `INSERT INTO triggers (tenant_id, workflow_id, type, name, updated_at) VALUES ('acme-shop', $1, 'webhook', 'From the ERP', now()) RETURNING id`,
      [workflow],
    );
    await setColumns('parent', 'trigger_id = $2', [rows[0]?.id]);
    expect(await startedBy('parent')).toEqual({ startedBy: { kind: 'TRIGGER', name: 'From the ERP' } });
    await setColumns('parent', `trigger_id = NULL, trigger_type = 'schedule'`, []);
    expect(await startedBy('parent')).toEqual({ startedBy: { kind: 'SCHEDULE', name: null } });
  });

  test('a key by its name, and nothing where it was not recorded', async () => {
    const key = await api.apiKey(['orders:read']);
    const { rows } = await api.database.system.query<{ prefix: string; name: string }>(
      `SELECT prefix, name FROM api_keys WHERE tenant_id = 'acme-shop' ORDER BY id DESC LIMIT 1`,
    );
    expect(key).toContain(rows[0]?.prefix);
    await setColumns('rerun', `started_by = $2, trigger_type = 'manual'`, [`api-key/${rows[0]?.prefix}`]);
    expect(await startedBy('rerun')).toEqual({ startedBy: { kind: 'API_KEY', name: rows[0]?.name } });
    await setColumns('rerun', 'started_by = NULL', []);
    expect(await startedBy('rerun')).toEqual({ startedBy: null });
  });

  test('the user who called the API', async () => {
    // Reruns need a bundle that the workflow has.
    await api.database.system.query(`INSERT INTO run_payloads VALUES ('acme-shop', $1, '{}')`, [ids['second']]);
    const { data, errors } = await api.graphql<{
      rerunRun: { run: { startedBy: object; retryOf: object } };
    }>(
      `mutation ($id: ID!) { rerunRun(input: { id: $id }) {
        ... on RerunRunPayload { run { startedBy { kind name } retryOf { databaseId } } } ... on Error { message } } }`,
      { id: ids['second'] },
      { name: 'Ada' },
    );
    expect(errors).toBeUndefined();
    expect(data.rerunRun).toEqual({ run: { startedBy: { kind: 'USER', name: 'Ada' }, retryOf: related('second') } });
  });
});
