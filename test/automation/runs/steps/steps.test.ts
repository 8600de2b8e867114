import pg from 'pg';
import { describe, expect, vi } from 'vitest';
import { insertRun, insertWorkflow } from '#test/automation/runs/run-rows.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
/** Runs of acme-shop: of a loop with 30 rounds, of one step, and without a step. */
const ids = { loop: 0, single: 0, none: 0 };
const rounds = 30;

test.beforeAll(async ({ api: started }) => {
  api = started;
  const workflow = await insertWorkflow(api.database, 'acme-shop', 'Orders to ERP');
  for (const name of Object.keys(ids) as (keyof typeof ids)[])
    ids[name] = await insertRun(api.database, 'acme-shop', workflow);
  // Rounds 10 to 30 begin in one millisecond, in the reverse order of their paths; round 7 fails once.
  await api.database.system.query(
    `INSERT INTO steps (tenant_id, run_id, path, attempt, node_id, node, node_version, status, branch, inputs, outputs, error, started_at, completed_at)
     SELECT 'acme-shop', $1, path, attempt, node_id, 'core:set', '1.0.0', status, CASE status WHEN 'succeeded' THEN 'default' END, '{"n": 1}',
       CASE status WHEN 'succeeded' THEN jsonb_build_object('path', path) END, CASE status WHEN 'failed' THEN '{"message": "no"}'::jsonb END,
       '2026-03-01T10:00:00Z'::timestamptz + started * interval '1 microsecond', '2026-03-01T10:01:00Z'
     FROM (
       SELECT 'each' AS path, 1 AS attempt, 'each' AS node_id, 'running' AS status, 0 AS started
       UNION ALL
       SELECT 'each/' || n || '/map', 1 + tries, 'map', CASE WHEN n = 7 AND tries = 0 THEN 'failed' ELSE 'succeeded' END,
         CASE WHEN n < 10 THEN n * 10000 + tries ELSE 500100 - n END
       FROM generate_series(1, ${rounds}) AS n, generate_series(0, CASE n WHEN 7 THEN 1 ELSE 0 END) AS tries
     ) AS made`,
    [ids.loop],
  );
  await api.database.system.query(
    `INSERT INTO steps (tenant_id, run_id, path, attempt, node_id, status, outputs, started_at) VALUES
     ('acme-shop', $1, 'größe', 1, 'größe', 'succeeded', jsonb_build_object('text', repeat('ü', 70000)), now())`,
    [ids.single],
  );
});

interface Page {
  totalCount: number;
  edges: { cursor: string; node: { path: string; attempt: number } }[];
  pageInfo: Record<'startCursor' | 'endCursor', string> & Record<'hasNextPage' | 'hasPreviousPage', boolean>;
}
const list = `query ($id: ID!, $filter: StepFilter, $first: Int, $after: String, $last: Int, $before: String) {
  run(id: $id) { stepConnection(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
    totalCount edges { cursor node { path attempt } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
  } } }`;

async function page(variables: object): Promise<Page> {
  const { data, errors } = await api.graphql<{ run: { stepConnection: Page } }>(list, { id: ids.loop, ...variables });
  expect(errors).toBeUndefined();
  return data.run.stepConnection;
}
const keys = ({ edges }: Page): string[] => edges.map(({ node }) => `${node.path}#${node.attempt}`);

const inOrder = [
  'each#1',
  ...[1, 2, 3, 4, 5, 6].map((n) => `each/${n}/map#1`),
  'each/7/map#1',
  'each/7/map#2',
  ...[8, 9].map((n) => `each/${n}/map#1`),
  ...Array.from({ length: rounds - 9 }, (_, n) => `each/${rounds - n}/map#1`),
];

describe('a page of the steps of a run', () => {
  test.for([1, 7, 100])('follows the order they began in both directions, %i at a time', async (size) => {
    const forwards: string[] = [];
    for (let after: string | undefined; ;) {
      const found = await page({ first: size, after });
      forwards.push(...keys(found));
      if (!found.pageInfo.hasNextPage) break;
      after = found.pageInfo.endCursor;
    }
    expect(forwards).toEqual(inOrder);
    const backwards: string[] = [];
    for (let before: string | undefined; ;) {
      const found = await page({ last: size, before });
      backwards.unshift(...keys(found));
      if (!found.pageInfo.hasPreviousPage) break;
      before = found.pageInfo.startCursor;
    }
    expect(backwards).toEqual(inOrder);
  });

  test.for([
    ['a node', { nodeId: 'each' }, ['each#1']],
    ['a node of a loop', { nodePath: 'each/map', status: ['FAILED'] }, ['each/7/map#1']],
    ['a node where no node is', { nodePath: 'map' }, []],
    ['a status', { status: ['FAILED', 'RUNNING', 'FAILED'] }, ['each#1', 'each/7/map#1']],
    ['a path prefix', { pathPrefix: 'each/7/' }, ['each/7/map#1', 'each/7/map#2']],
    ['all of them', { nodeId: 'map', status: ['SUCCEEDED'], pathPrefix: 'each/7' }, ['each/7/map#2']],
    ['a prefix with the signs of patterns', { pathPrefix: 'each/%' }, []],
    ['text that is no path', { nodeId: "'; DROP TABLE steps" }, []],
    ['filters that are null', { nodeId: null, status: null, pathPrefix: null }, inOrder],
    ['filters that are empty', { status: [], pathPrefix: '' }, inOrder],
  ] as const)('is narrowed by %s', async ([, filter, expected]) => {
    const found = await page({ filter, first: 100 });
    expect(keys(found)).toEqual(expected);
    expect(found.totalCount).toBe(expected.length);
  });

  test('begins after an offset', async () => {
    const { data } = await api.graphql(
      `query ($id: ID!) { run(id: $id) { stepConnection(first: 1, offset: 8) { edges { node { path attempt } } } } }`,
      { id: ids.loop },
    );
    expect(data).toEqual({ run: { stepConnection: { edges: [{ node: { path: 'each/7/map', attempt: 2 } }] } } });
  });

  test.for([
    ['a cursor of another list', { after: Buffer.from('id:1').toString('base64url') }],
    ['a cursor with a broken encoding', { after: Buffer.from('step:1/1/%ff').toString('base64url') }],
    ['a cursor with a zero byte', { after: Buffer.from('step:1/1/%00').toString('base64url') }],
    ['text that Postgres cannot store', { filter: { pathPrefix: 'a\0b' } }],
    ['a page of more than the largest size', { first: 101 }],
  ] as const)('refuses %s', async ([, variables]) => {
    const { errors } = await api.graphql(list, { id: ids.loop, ...variables });
    expect(errors?.[0]?.extensions?.code).toBe('VALIDATION_FAILED');
  });

  test('accepts a cursor far in the future or of a step that is gone', async () => {
    const cursor = (text: string) => Buffer.from(text).toString('base64url');
    expect(keys(await page({ after: cursor('step:9999999999999999/9999/z') }))).toEqual([]);
    expect(keys(await page({ first: 1, after: cursor('step:0/1/gone') }))).toEqual(['each#1']);
  });

  test('has the values of its steps', async () => {
    const { data, errors } = await api.graphql(
      `query ($id: ID!) { run(id: $id) { stepConnection(filter: { pathPrefix: "each/7/" }) { edges { node {
        nodeId node version status branch inputs outputs error outputBytes outputPreview outputUrl durationMs } } } } }`,
      { id: ids.loop },
    );
    expect(errors).toBeUndefined();
    const step = { nodeId: 'map', node: 'core:set', version: '1.0.0', inputs: { n: 1 }, outputUrl: null };
    const outputs = { path: 'each/7/map' };
    const none = { outputs: null, outputBytes: null, outputPreview: null };
    expect(data).toMatchObject({
      run: {
        stepConnection: {
          edges: [
            { node: { ...step, status: 'FAILED', branch: null, ...none, error: { message: 'no' } } },
            {
              node: {
                ...step,
                status: 'SUCCEEDED',
                branch: 'default',
                error: null,
                durationMs: 59_930,
                outputs,
                outputBytes: 22,
                outputPreview: outputs,
              },
            },
          ],
        },
      },
    });
  });
});

test('counts are by node and status, within the filter, and agree with the pages', async () => {
  const { data, errors } = await api.graphql(
    `query ($id: ID!, $other: ID!) {
      run(id: $id) { stepCounts { nodeId nodePath total branches byStatus { running succeeded failed skipped waiting } }
        some: stepCounts(filter: { pathPrefix: "each/7/" }) { nodeId total byStatus { failed } } }
      none: run(id: $other) { stepCounts { total } stepConnection { totalCount edges { cursor } } } }`,
    { id: ids.loop, other: ids.none },
  );
  expect(errors).toBeUndefined();
  const zeros = { running: 0, succeeded: 0, failed: 0, skipped: 0, waiting: 0 };
  expect(data).toEqual({
    run: {
      stepCounts: [
        { nodeId: 'each', nodePath: 'each', total: 1, branches: [], byStatus: { ...zeros, running: 1 } },
        {
          nodeId: 'map',
          nodePath: 'each/map',
          total: rounds + 1,
          branches: ['default'],
          byStatus: { ...zeros, succeeded: rounds, failed: 1 },
        },
      ],
      some: [{ nodeId: 'map', total: 2, byStatus: { failed: 1 } }],
    },
    none: { stepCounts: [], stepConnection: { totalCount: 0, edges: [] } },
  });
});

test('steps, counts and values of a list of runs take as many statements for three as for one', async () => {
  const read = async (first: number) => {
    const sent = vi.spyOn(pg.Client.prototype, 'query');
    const { data, errors } = await api.graphql<{ runs: { edges: unknown[] } }>(
      `query ($first: Int!) { runs(first: $first) { edges { node { stepCounts { total }
        stepConnection(first: 5) { totalCount edges { node { path outputs outputBytes logs { message } } } } } } } }`,
      { first },
    );
    const statements = sent.mock.calls.map(([query]) => (query as { text?: string } | undefined)?.text ?? '');
    sent.mockRestore();
    expect(errors).toBeUndefined();
    expect(data.runs.edges).toHaveLength(first);
    return statements.filter((text) => text.includes('steps') || text.includes('run_log_lines')).length;
  };
  // The newest run has no step.
  const two = await read(2);
  expect(two).toBe(6);
  expect(await read(3)).toBe(two);
});

describe('large outputs', () => {
  const large = `query ($id: ID!) { run(id: $id) { stepConnection { edges { node {
    id outputs outputBytes outputPreview outputUrl } } } } }`;
  interface Large {
    run: {
      stepConnection: {
        edges: {
          node: Record<'id' | 'outputUrl', string> & {
            outputs: object;
            outputBytes: number;
            outputPreview: { truncated: boolean; length: number; start: string };
          };
        }[];
      };
    };
  }
  const readLarge = async () => {
    const { data, errors } = await api.graphql<Large>(large, { id: ids.single });
    expect(errors).toBeUndefined();
    const [edge] = data.run.stepConnection.edges;
    if (!edge) throw new Error('The run has no step.');
    return edge.node;
  };
  const get = (url: string) => {
    const { pathname, search } = new URL(url);
    return api.app.inject({ method: 'GET', url: `${pathname}${search}` });
  };

  test('are previewed, and read whole by a link without a token', async () => {
    const { outputs, outputBytes, outputPreview, outputUrl } = await readLarge();
    expect(outputPreview).toMatchObject({ truncated: true, length: 70_012 });
    expect(outputPreview.start).toBe(`{"text": "${'ü'.repeat(3_990)}`);
    const response = await get(outputUrl);
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-store',
    });
    expect(response.json()).toEqual(outputs);
    expect(response.rawPayload).toHaveLength(outputBytes);
  });

  test.for([
    ['of another tenant', (url: string) => url.replace('/acme-shop/', '/acme-outlet/')],
    ['of another step', (url: string) => url.replace(/\/[^/]+\?/, `/${Buffer.from('1/1/a').toString('base64url')}?`)],
    ['with another time', (url: string) => url.replace(/expires=\d+/, 'expires=99999999999')],
    ['without a signature', (url: string) => url.replace(/&signature=.*/, '')],
  ] as const)('are not read by a link %s', async ([, change]) => {
    const response = await get(change((await readLarge()).outputUrl));
    expect(response.statusCode).toBe(403);
    expect(response.body).not.toContain('ü');
  });

  test('are gone with their run', async () => {
    const { outputUrl } = await readLarge();
    await api.database.system.query(`DELETE FROM steps WHERE tenant_id = 'acme-shop' AND run_id = $1`, [ids.single]);
    expect((await get(outputUrl)).statusCode).toBe(404);
  });
});

describe('log lines', () => {
  test.beforeAll(async () => {
    await api.database.system.query(
      `INSERT INTO run_log_lines (tenant_id, run_id, step_path, attempt, level, message, at)
       SELECT 'acme-shop', $1, 'each/' || n || '/map', tries, CASE WHEN n % 2 = 0 THEN 'error' ELSE 'info' END, 'Order 100% of_' || n, now()
       FROM generate_series(1, ${rounds}) AS n, generate_series(1, 2) AS tries ORDER BY n, tries`,
      [ids.loop],
    );
  });

  test.for([
    ['a level', { level: ['ERROR'] }, ['Order 100% of_8']],
    ['text in any case', { search: 'order 100% OF_' }, ['Order 100% of_7', 'Order 100% of_7', 'Order 100% of_8']],
    ['both', { level: ['INFO', 'WARN'], search: '_7' }, ['Order 100% of_7', 'Order 100% of_7']],
    ['a level that none has', { level: ['DEBUG'] }, []],
    ['nothing', {}, ['Order 100% of_7', 'Order 100% of_7', 'Order 100% of_8']],
  ] as const)('of steps are filtered by %s', async ([, filter, expected]) => {
    const { data, errors } = await api.graphql<{
      run: Record<'seven' | 'eight', { edges: { node: { logs: { message: string }[] } }[] }>;
    }>(
      `query ($id: ID!, $filter: RunLogFilter) { run(id: $id) {
        seven: stepConnection(filter: { pathPrefix: "each/7/" }) { edges { node { logs(filter: $filter) { message } } } }
        eight: stepConnection(filter: { pathPrefix: "each/8/" }) { edges { node { logs(filter: $filter) { message } } } } } }`,
      { id: ids.loop, filter },
    );
    expect(errors).toBeUndefined();
    const { seven, eight } = data.run;
    const messages = [seven, eight].flatMap(({ edges }) =>
      edges.flatMap(({ node }) => node.logs.map(({ message }) => message)),
    );
    expect(messages).toEqual(expected);
  });

  test('of a run are filtered and bounded', async () => {
    const read = async (filter: object, first = 1_000) => {
      const { data, errors } = await api.graphql<{ run: { logs: { message: string }[] } }>(
        `query ($id: ID!, $filter: RunLogFilter, $first: Int!) { run(id: $id) { logs(filter: $filter, first: $first) { message } } }`,
        { id: ids.loop, filter, first },
      );
      expect(errors).toBeUndefined();
      return data.run.logs.map(({ message }) => message);
    };
    expect(await read({})).toHaveLength(rounds * 2);
    expect(await read({ level: ['ERROR'] }, 3)).toEqual(['Order 100% of_2', 'Order 100% of_2', 'Order 100% of_4']);
    expect(await read({ search: 'of_30' })).toHaveLength(2);
    const { errors } = await api.graphql(
      `query ($id: ID!, $filter: RunLogFilter) { run(id: $id) { logs(filter: $filter) { message } } }`,
      { id: ids.loop, filter: { search: 'x'.repeat(192) } },
    );
    expect(errors?.[0]?.extensions?.code).toBe('VALIDATION_FAILED');
  });
});

test('another tenant sees no step of the run, by its id or by that of a step', async () => {
  const step = Buffer.from(`Step:${ids.loop}/1/each`).toString('base64');
  const query = `query ($id: ID!, $step: ID!) { run(id: $id) { stepCounts { total } } node(id: $step) { ... on Step { path outputUrl } } }`;
  const variables = { id: String(ids.loop), step };
  expect((await api.graphql(query, variables)).data).toMatchObject({ node: { path: 'each', outputUrl: null } });
  expect((await api.graphql(query, variables, { tenant: 'acme-outlet' })).data).toEqual({ run: null, node: null });
});
