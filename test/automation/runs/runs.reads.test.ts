import fc from 'fast-check';
import pg from 'pg';
import { describe, expect, vi } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { insertRun, insertWorkflow, type RunGiven } from './run-rows.ts';

let api: TestApp;
let orders: number;
let stock: number;
const ids: Record<string, number> = {};

test.beforeAll(async ({ api: started }) => {
  api = started;
  orders = await insertWorkflow(api.database, 'acme-shop', 'Orders to ERP');
  stock = await insertWorkflow(api.database, 'acme-shop', '100% of stock_levels');
  const foreign = await insertWorkflow(api.database, 'acme-outlet', 'Orders to ERP');
  const make = async (name: string, workflow: number, given: RunGiven) => {
    ids[name] = await insertRun(api.database, 'acme-shop', workflow, given);
  };
  const at = (second: number) => `2026-03-01T10:00:${String(second).padStart(2, '0')}.500Z`;
  await make('quick', orders, { createdAt: at(1), startedAt: at(2), completedAt: at(3) });
  await make('slow', orders, { createdAt: at(4), startedAt: at(5), completedAt: at(25) });
  await make('failed', stock, {
    createdAt: at(6),
    startedAt: at(5),
    completedAt: at(6),
    status: 'failed',
    error: 'The ERP said 50% off_line.',
  });
  await make('running', stock, { createdAt: at(8), startedAt: at(9), status: 'running', triggerType: 'schedule' });
  await make('queued', orders, { createdAt: at(10), status: 'queued' });
  await make('queuedToo', orders, { createdAt: at(11), status: 'queued', triggerType: 'manual' });
  await make('never', orders, { createdAt: at(12), completedAt: at(13), status: 'cancelled' });
  await insertRun(api.database, 'acme-outlet', foreign, { createdAt: at(14) });
});

interface Page {
  runs: {
    totalCount: number;
    edges: { cursor: string; node: { databaseId: number } }[];
    pageInfo: { endCursor: string; startCursor: string; hasNextPage: boolean; hasPreviousPage: boolean };
  };
}
const list = `query ($filter: RunFilter, $orderBy: RunOrder, $first: Int, $after: String, $last: Int, $before: String, $offset: Int) {
  runs(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before, offset: $offset) {
    totalCount edges { cursor node { databaseId } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
  }
}`;

async function page(variables: object): Promise<Page['runs']> {
  const { data, errors } = await api.graphql<Page>(list, variables);
  expect(errors).toBeUndefined();
  return data.runs;
}
const findName = (id: number): string | undefined => Object.entries(ids).find(([, known]) => known === id)?.[0];
const names = async (variables: object): Promise<(string | undefined)[]> =>
  (await page(variables)).edges.map(({ node }) => findName(node.databaseId));

/** Every order in full: runs without a start are the newest by start, runs without a duration come last. */
const inOrder = {
  'CREATED_AT DESC': ['never', 'queuedToo', 'queued', 'running', 'failed', 'slow', 'quick'],
  'CREATED_AT ASC': ['quick', 'slow', 'failed', 'running', 'queued', 'queuedToo', 'never'],
  'STARTED_AT DESC': ['never', 'queuedToo', 'queued', 'running', 'failed', 'slow', 'quick'],
  'STARTED_AT ASC': ['quick', 'slow', 'failed', 'running', 'queued', 'queuedToo', 'never'],
  'DURATION DESC': ['slow', 'failed', 'quick', 'never', 'queuedToo', 'queued', 'running'],
  'DURATION ASC': ['quick', 'failed', 'slow', 'running', 'queued', 'queuedToo', 'never'],
};
const allOrders = Object.entries(inOrder).map(([text, expected]) => {
  const [field, direction] = text.split(' ');
  return { orderBy: { field, direction }, expected };
});

describe('the list of runs', () => {
  test('is newest first, with names, times and engine ids', async () => {
    const { data, errors } = await api.graphql<{
      runs: { edges: { node: object }[] };
    }>(`{ runs(first: 50) { edges { node {
      id databaseId workflowId workflowName status error triggerHandle triggerType engineWorkflowId engineRunId revision
      startedAt completedAt createdAt updatedAt durationMs } } } }`);
    expect(errors).toBeUndefined();
    expect(data.runs.edges).toHaveLength(7);
    expect(data.runs.edges.at(-1)?.node).toEqual({
      id: Buffer.from(`Run:${ids['quick']}`).toString('base64'),
      databaseId: ids['quick'],
      workflowId: orders,
      workflowName: 'Orders to ERP',
      status: 'SUCCEEDED',
      error: null,
      triggerHandle: expect.stringMatching(/^[0-9a-f-]{36}$/),
      triggerType: 'WEBHOOK',
      engineWorkflowId: `workflow-acme-shop-${orders}`,
      engineRunId: `run-acme-shop-${ids['quick']}`,
      revision: 1,
      startedAt: '2026-03-01T10:00:02.500Z',
      completedAt: '2026-03-01T10:00:03.500Z',
      createdAt: '2026-03-01T10:00:01.500Z',
      updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      durationMs: 1000,
    });
  });

  test.each(allOrders)('orders by $orderBy.field $orderBy.direction', async ({ orderBy, expected }) => {
    expect(await names({ orderBy })).toEqual(expected);
  });

  test.each(allOrders)(
    'pages by $orderBy.field $orderBy.direction in both directions and by offset, with any size',
    async ({ orderBy, expected }) => {
      const total = expected.length;
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: total }), async (size) => {
          const forward: (string | undefined)[] = [];
          for (let after: string | null = null, more = true; more;) {
            const found: Page['runs'] = await page({ orderBy, first: size, after });
            forward.push(...found.edges.map(({ node }) => findName(node.databaseId)));
            after = found.pageInfo.endCursor;
            more = found.pageInfo.hasNextPage;
          }
          expect(forward).toEqual(expected);
          const backward: (string | undefined)[] = [];
          for (let before: string | null = null, more = true; more;) {
            const found: Page['runs'] = await page({ orderBy, last: size, before });
            backward.unshift(...found.edges.map(({ node }) => findName(node.databaseId)));
            before = found.pageInfo.startCursor;
            more = found.pageInfo.hasPreviousPage;
          }
          expect(backward).toEqual(expected);
          for (let offset = 0; offset <= total; offset += size) {
            expect(await names({ orderBy, first: size, offset })).toEqual(expected.slice(offset, offset + size));
          }
        }),
        { numRuns: 7 },
      );
    },
  );

  test('returns the runs between two cursors', async () => {
    for (const { orderBy, expected } of allOrders) {
      const { edges } = await page({ orderBy });
      for (let from = 0; from < edges.length; from += 2) {
        for (let to = from + 1; to < edges.length; to += 1) {
          const between = { orderBy, after: edges[from]?.cursor, before: edges[to]?.cursor };
          expect(await names(between)).toEqual(expected.slice(from + 1, to));
        }
      }
    }
  });

  test.each([
    [{ status: ['FAILED'] }, ['failed']],
    [{ status: ['QUEUED', 'RUNNING'] }, ['queuedToo', 'queued', 'running']],
    [{ status: [] }, inOrder['CREATED_AT DESC']],
    [{ triggerType: 'SCHEDULE' }, ['running']],
    [{ since: '2026-03-01T10:00:10.500Z' }, ['never', 'queuedToo', 'queued']],
    [{ until: '2026-03-01T10:00:04.500Z' }, ['quick']],
    [{ since: '2026-03-01T10:00:04.500Z', until: '2026-03-01T10:00:08.500Z' }, ['failed', 'slow']],
    [{ search: 'orders TO' }, ['never', 'queuedToo', 'queued', 'slow', 'quick']],
    [{ search: '100%' }, ['running', 'failed']],
    [{ search: '50% off_line' }, ['failed']],
    [{ search: '%' }, ['running', 'failed']],
    [{ search: 'k_l' }, ['running', 'failed']],
    [{ search: 'k\\l' }, []],
    [{ search: 'queued', status: ['QUEUED'] }, []],
    [{ search: 'orders', status: ['QUEUED'], triggerType: 'MANUAL' }, ['queuedToo']],
  ])('narrows by %j', async (filter, expected) => {
    expect(await names({ filter })).toEqual(expected.length > 0 ? expected : []);
    expect((await page({ filter })).totalCount).toBe(expected.length);
  });

  test('filters by workflow, by global id or number, and by exact run id', async () => {
    const global = Buffer.from(`Workflow:${stock}`).toString('base64');
    expect(await names({ filter: { workflowId: global } })).toEqual(['running', 'failed']);
    expect(await names({ filter: { workflowId: String(stock), status: ['FAILED'] } })).toEqual(['failed']);
    expect(await names({ filter: { search: String(ids['slow']) } })).toContain('slow');
  });

  test.each([
    ['a cursor of another order', { after: Buffer.from('DURATION/5 ms/1').toString('base64url') }],
    ['text that is not a cursor', { after: 'nonsense' }],
    [
      'a cursor with SQL in it',
      { orderBy: { field: 'DURATION' }, after: Buffer.from("DURATION/1' ms/1").toString('base64url') },
    ],
    [
      'a cursor with an impossible time',
      {
        orderBy: { field: 'STARTED_AT' },
        after: Buffer.from('STARTED_AT/2026-99-99T10:00:00.000Z/1').toString('base64url'),
      },
    ],
    ['a page of nothing', { first: 0 }],
    ['a negative offset', { offset: -1 }],
    ['a search without end', { filter: { search: 'x'.repeat(192) } }],
  ])('refuses %s', async (_name, variables) => {
    const { errors } = await api.graphql(list, variables);
    expect(errors?.[0]?.extensions?.code).toBe('VALIDATION_FAILED');
  });

  test('loads the workflows of a page with one query, whatever its length', async () => {
    const queries = vi.spyOn(pg.Client.prototype, 'query');
    const { data, errors } = await api.graphql<{ runs: { edges: { node: { workflow: { name: string } } }[] } }>(
      '{ runs { edges { node { workflowName workflow { name } } } } }',
    );
    const texts = queries.mock.calls.map(([query]) => (query as unknown as { text?: string } | undefined)?.text ?? '');
    queries.mockRestore();
    expect(texts.filter((text) => text.includes('"workflows"'))).toHaveLength(1);
    expect(errors).toBeUndefined();
    expect(data.runs.edges.map(({ node }) => node.workflow.name)).toContain('100% of stock_levels');
  });
});

describe('one run', () => {
  test('is found by global id, by number and as a node', async () => {
    const id = Buffer.from(`Run:${ids['slow']}`).toString('base64');
    const { data } = await api.graphql(
      'query ($id: ID!, $number: ID!) { run(id: $id) { durationMs } byNumber: run(id: $number) { id } node(id: $id) { id ... on Run { durationMs } } }',
      { id, number: String(ids['slow']) },
    );
    expect(data).toEqual({ run: { durationMs: 20_000 }, byNumber: { id }, node: { id, durationMs: 20_000 } });
  });

  test('is hidden from other tenants, and from tokens without a role', async () => {
    const id = Buffer.from(`Run:${ids['slow']}`).toString('base64');
    const query = 'query ($id: ID!) { run(id: $id) { id } node(id: $id) { id } }';
    expect((await api.graphql(query, { id }, { tenant: 'acme-outlet' })).data).toEqual({ run: null, node: null });
    const { data, errors } = await api.graphql(
      'query ($id: ID!) { node(id: $id) { id ... on Run { error } } }',
      { id },
      { roles: [] },
    );
    // The same as if it did not exist.
    expect({ data, errors }).toEqual({ data: { node: null }, errors: undefined });
  });

  test('shows payload, result, steps and logs on request', async () => {
    const run = ids['slow'];
    const token = '5f0c7c5e-7f5b-4d8c-9a5b-0123456789ab';
    await api.database.system.query(`INSERT INTO run_payloads VALUES ('acme-shop', $1, '{"order": 7}')`, [run]);
    await api.database.system.query(`INSERT INTO run_results VALUES ('acme-shop', $1, '"done"')`, [run]);
    await api.database.system.query(
      `INSERT INTO steps (tenant_id, run_id, path, attempt, node_id, status, branch, outputs, error, resume_token, started_at, completed_at) VALUES
       ('acme-shop', $1, 'map', 1, 'map', 'failed', NULL, NULL, '{"message": "no"}', NULL, '2026-03-01T10:00:05Z', '2026-03-01T10:00:06Z'),
       ('acme-shop', $1, 'map', 2, 'map', 'succeeded', 'default', '{"a": 1}', NULL, $2, '2026-03-01T10:00:07Z', '2026-03-01T10:00:08Z'),
       ('acme-shop', $1, 'each/0/ask', 1, 'ask', 'waiting', NULL, NULL, NULL, $3, '2026-03-01T10:00:09Z', NULL)`,
      [run, '5f0c7c5e-7f5b-4d8c-9a5b-0123456789aa', token],
    );
    await api.database.system.query(
      `INSERT INTO run_log_lines (tenant_id, run_id, step_path, attempt, level, message, at)
       SELECT 'acme-shop', $1, 'map', 1 + n % 2, 'info', 'line ' || n, '2026-03-01T10:00:05Z' FROM generate_series(1, 4) AS n`,
      [run],
    );
    interface Lines {
      run: { logs: { databaseId: number; message: string }[] };
    }
    const { data, errors } = await api.graphql<Lines>(
      `query ($id: ID!) { run(id: $id) { payload result
        steps { nodeId path attempt status branch outputs error resumeToken startedAt completedAt logs { level message at } }
        logs(first: 3) { databaseId path attempt message } } }`,
      { id: String(run) },
    );
    expect(errors).toBeUndefined();
    const line = (n: number) => ({ level: 'INFO', message: `line ${n}`, at: '2026-03-01T10:00:05.000Z' });
    expect(data).toMatchObject({
      run: {
        payload: { order: 7 },
        result: 'done',
        steps: [
          {
            nodeId: 'map',
            attempt: 1,
            status: 'FAILED',
            error: { message: 'no' },
            resumeToken: null,
            logs: [line(2), line(4)],
          },
          {
            nodeId: 'map',
            attempt: 2,
            status: 'SUCCEEDED',
            branch: 'default',
            outputs: { a: 1 },
            resumeToken: null,
            logs: [line(1), line(3)],
          },
          { nodeId: 'ask', path: 'each/0/ask', status: 'WAITING', resumeToken: token, completedAt: null, logs: [] },
        ],
        logs: [{ message: 'line 1' }, { message: 'line 2' }, { message: 'line 3' }],
      },
    });
    const rest = await api.graphql<Lines>(
      'query ($id: ID!, $after: Long) { run(id: $id) { logs(after: $after) { message } } }',
      {
        id: String(run),
        after: data.run.logs[2]?.databaseId,
      },
    );
    expect(rest.data.run.logs).toEqual([{ message: 'line 4' }]);
    for (const first of [-1, 1_001]) {
      const refused = await api.graphql(`query ($id: ID!) { run(id: $id) { logs(first: ${first}) { message } } }`, {
        id: String(run),
      });
      expect(refused.errors?.[0]?.extensions).toMatchObject({
        fields: { first: ['Ask for 0 to 1000 lines; `after` reaches further.'] },
      });
    }
    const none = await api.graphql(
      'query ($id: ID!) { run(id: $id) { payload result steps { path } logs { message } } }',
      {
        id: String(ids['queued']),
      },
    );
    expect(none.data).toEqual({ run: { payload: null, result: null, steps: [], logs: [] } });
  });
});

describe('the summary of runs', () => {
  const summary = `query ($filter: RunFilter) { runSummary(filter: $filter) { total byStatus { queued running waiting succeeded failed cancelled } } }`;

  test('counts every status, including zeros, for this tenant only', async () => {
    const { data } = await api.graphql(summary);
    expect(data).toEqual({
      runSummary: { total: 7, byStatus: { queued: 2, running: 1, waiting: 0, succeeded: 2, failed: 1, cancelled: 1 } },
    });
  });

  test('accepts the same filters as the list', async () => {
    const { data } = await api.graphql(summary, {
      filter: { workflowId: String(stock), status: ['FAILED', 'WAITING'] },
    });
    expect(data).toEqual({
      runSummary: { total: 1, byStatus: { queued: 0, running: 0, waiting: 0, succeeded: 0, failed: 1, cancelled: 0 } },
    });
  });
});
