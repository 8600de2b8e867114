import pg from 'pg';
import { expect, vi } from 'vitest';
import { readMigrations } from '#src/infra/migrations/migrations.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const calls = (id: string, called: number) => ({
  id,
  node: 'core:sub-workflow',
  version: '1.0.0',
  config: { workflow_id: called },
});
const loop = (id: string, ...nodes: object[]) => ({
  id,
  node: 'core:for-each',
  version: '1.0.0',
  config: { items: [1], body: { nodes, edges: [] } },
});
const makeBlob = (nodes: object[], settings?: object) => ({
  version: 'v1',
  nodes,
  edges: [],
  ...(settings && { settings }),
});

interface Saved {
  id: string;
  databaseId: number;
}

async function save(name: string, blob: object, tenant = 'acme-shop'): Promise<Saved> {
  const { data, errors } = await api.graphql<{ createWorkflow: { workflow: Saved } }>(
    `mutation ($input: CreateWorkflowInput!) {
      createWorkflow(input: $input) { ... on CreateWorkflowPayload { workflow { id databaseId } } ... on Error { message } }
    }`,
    { input: { name, blob } },
    { tenant },
  );
  expect(errors).toBeUndefined();
  expect(data.createWorkflow).toHaveProperty('workflow');
  return data.createWorkflow.workflow;
}

const change = (mutation: 'updateWorkflow' | 'deleteWorkflow', input: object) => {
  const type = `${mutation[0]?.toUpperCase()}${mutation.slice(1)}`;
  return api.graphql(`mutation ($input: ${type}Input!) { ${mutation}(input: $input) { __typename } }`, { input });
};

interface UsedBy {
  totalCount: number;
  edges: { node: { workflow: { name: string }; nodeIds: string[]; onError: boolean } }[];
  pageInfo: { startCursor: string; endCursor: string; hasNextPage: boolean };
}

async function usedBy({ id }: Saved, args = '', tenant = 'acme-shop'): Promise<UsedBy> {
  const { data, errors } = await api.graphql<{ workflow: { usedBy: UsedBy } }>(
    `query ($id: ID!) { workflow(id: $id) { usedBy${args} {
      totalCount edges { node { workflow { name } nodeIds onError } } pageInfo { startCursor endCursor hasNextPage } } } }`,
    { id },
    { tenant },
  );
  expect(errors).toBeUndefined();
  return data.workflow.usedBy;
}
const callers = ({ edges }: UsedBy) => edges.map(({ node: { workflow, ...use } }) => ({ name: workflow.name, ...use }));

test('a workflow lists the workflows that call it, also from loops, and those whose failures it handles', async () => {
  const called = await save('Called', makeBlob([]));
  const other = await save('Other', makeBlob([]));
  const [one, two] = [called.databaseId, other.databaseId];
  const first = await save('First', makeBlob([calls('b', one), loop('each', calls('a', one)), calls('c', two)]));
  const second = await save('Second', makeBlob([calls('a', one)], { error_workflow_id: one }));
  const third = await save('Third', makeBlob([], { error_workflow_id: one }));
  const uses = [
    { name: 'First', nodeIds: ['b', 'each/a'], onError: false },
    { name: 'Second', nodeIds: ['a'], onError: true },
    { name: 'Third', nodeIds: [], onError: true },
  ];
  const all = await usedBy(called);
  expect(all.totalCount).toBe(3);
  expect(callers(all)).toEqual(uses);
  expect(callers(await usedBy(other))).toEqual([{ name: 'First', nodeIds: ['c'], onError: false }]);
  expect(callers(await usedBy(first))).toEqual([]);

  const page = await usedBy(called, '(first: 2)');
  expect(callers(page)).toEqual(uses.slice(0, 2));
  expect(page.pageInfo.hasNextPage).toBe(true);
  const next = await usedBy(called, `(first: 2, after: "${page.pageInfo.endCursor}")`);
  expect(callers(next)).toEqual(uses.slice(2));
  expect(callers(await usedBy(called, `(last: 1, before: "${next.pageInfo.startCursor}")`))).toEqual([uses[1]]);

  await change('updateWorkflow', { id: first.id, blob: makeBlob([calls('moved', one)]) });
  await change('updateWorkflow', { id: second.id, name: 'Second, renamed' });
  await change('deleteWorkflow', { id: third.id });
  expect(callers(await usedBy(called))).toEqual([
    { name: 'First', nodeIds: ['moved'], onError: false },
    { ...uses[1], name: 'Second, renamed' },
  ]);
  expect(callers(await usedBy(other))).toEqual([]);
});

test('a workflow of another tenant that names the same id is not listed', async () => {
  const called = await save('Of this tenant', makeBlob([]));
  await save('Of the other tenant', makeBlob([calls('a', called.databaseId)]), 'acme-outlet');
  expect(await usedBy(called)).toMatchObject({ totalCount: 0, edges: [] });
});

test('a list of workflows is followed with as many statements for five as for two', async () => {
  const count = async (first: number) => {
    const sent = vi.spyOn(pg.Client.prototype, 'query');
    const { errors } = await api.graphql(
      `query ($first: Int!) { workflows(first: $first) { edges { node {
        usedBy(first: 3) { totalCount edges { node { workflow { name } } } } } } } }`,
      { first },
    );
    const statements = sent.mock.calls.map(([query]) => (query as { text?: string } | undefined)?.text ?? '');
    sent.mockRestore();
    expect(errors).toBeUndefined();
    return statements.filter((text) => text.includes('workflow_calls')).length;
  };
  expect(await count(5)).toBe(2);
  expect(await count(2)).toBe(2);
});

test('the migration finds what saved workflows call', async () => {
  const { databaseId: one } = await save('Migrated', makeBlob([]));
  await save('Calls deeply', makeBlob([loop('each', loop('again', calls('a', one)), calls('b', one))]));
  await save('Is its error', makeBlob([calls('a', one)], { error_workflow_id: one }));
  const migration = (await readMigrations()).find(({ name }) => name.endsWith('_workflow_calls'));
  const owner = new pg.Client({ connectionString: api.databaseUrl });
  await owner.connect();
  try {
    const read = async () =>
      (await owner.query('SELECT * FROM workflow_calls ORDER BY tenant_id, workflow_id, node_id')).rows as unknown[];
    const kept = await read();
    expect(kept.length).toBeGreaterThanOrEqual(4);
    await owner.query('BEGIN');
    await owner.query('DROP TABLE workflow_calls');
    await owner.query(migration?.sql ?? '');
    expect(await read()).toEqual(kept);
    await owner.query('ROLLBACK');
  } finally {
    await owner.end();
  }
});
