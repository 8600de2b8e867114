import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { type Receiver, startReceiver } from '#test/automation/core-nodes/receiver.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { fireRun, node, readyWorkflow, startTestEngine, untilRun } from '#test/setup/engine.ts';

const page = readFileSync(new URL('../../../docs/workflows.md', import.meta.url), 'utf8');
const [, example = ''] = /^```json pages\n([^]*?)^```$/m.exec(page) ?? [];

const orders = Array.from({ length: 2_200 }, (_, index) => ({ id: index }));

let api: TestApp;
let server: Receiver;
let asked: (string | null)[] = [];

test.beforeAll(async ({ api: started }) => {
  api = started;
  server = await startReceiver((request, _body, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    const after = searchParams.get('after');
    asked.push(after);
    const end = Number(after ?? 0) + Number(searchParams.get('limit'));
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        data: orders.slice(end - 500, end),
        next_cursor: end < orders.length ? String(end) : null,
      }),
    );
  });
  const engine = await startTestEngine(api, { allow: new URL(server.url).host });
  return async () => {
    await engine.stop();
    await server.close();
  };
});

const run = async (...nodes: object[]) => {
  asked = [];
  return untilRun(api, await fireRun(api, await readyWorkflow(api, { nodes }), {}));
};

describe('a loop that goes on until a value is null', () => {
  test('takes a list page by page, as the example in the docs', async () => {
    const ended = await run(JSON.parse(example.replace('https://shop.example.com', server.url)) as object);
    expect(ended).toMatchObject({
      status: 'succeeded',
      result: { pages: { results: [500, 500, 500, 500, 200].map((count) => ({ turn: { orders: count } })) } },
    });
    expect(asked).toEqual([null, '500', '1000', '1500', '2000']);
    const read = ended.steps.find(({ path }) => path === 'pages/4/read');
    expect(read?.outputs).toMatchObject({ body: orders.slice(2_000), next: null });
  });

  const count = (left: string) => ({ nodes: [node('count', 'set', { values: { left } })], edges: [] });

  test('resumes after a wait with the item that it had reached', async () => {
    const body = {
      nodes: [
        node('pause', 'wait', { duration_ms: 1_100 }),
        node('count', 'set', { values: { left: '{{ item > 1 ? item - 1 : null }}' } }),
      ],
      edges: [{ from: { node: 'pause' }, to: 'count' }],
    };
    const ended = await run(node('each', 'for-each', { items: [2], next: 'count.left', body }));
    expect(ended).toMatchObject({
      status: 'succeeded',
      result: { each: { results: [{ count: { left: 1 } }, { count: { left: null } }] } },
    });
  });

  test.each([
    ['an output that is missing', { next: 'count.missing' }, 'LOOP_NEXT'],
    ['a node that is not in the body', { next: 'other.left' }, 'INVALID_CONFIG'],
    ['several items at a time', { next: 'count.left', concurrency: 2 }, 'INVALID_CONFIG'],
    ['errors that are passed over', { next: 'count.left', on_error: 'continue' }, 'INVALID_CONFIG'],
    ['too many items', { next: 'count.left', items: Array.from({ length: 10_000 }, () => 1) }, 'LOOP_LIMIT'],
  ])('refuses %s', async (_what, config, code) => {
    const ended = await run(node('each', 'for-each', { items: [1], body: count('{{ item }}'), ...config }));
    expect(ended.status).toBe('failed');
    expect(ended.steps.find(({ path }) => path === 'each')).toMatchObject({ error: { code } });
  });
});
