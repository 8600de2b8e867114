import { afterAll, describe, expect } from 'vitest';
import { registerBuiltinPackages } from '#src/automation/packages/builtin-packages.service.ts';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { type Receiver, startReceiver } from '#test/automation/core-nodes/receiver.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { chain, fireRun, node, readyWorkflow, untilRun } from '#test/setup/engine.ts';

let api: TestApp;
let shop: Receiver;
test.beforeAll(async ({ api: started, startEngine }) => {
  api = started;
  await registerBuiltinPackages(api.deps);
  shop = await startReceiver((request, body, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ key: request.headers['x-key'], sent: String(body) }));
  });
  await startEngine({ allow: new URL(shop.url).host });
});
afterAll(() => shop.close());

const code = (text: string, more: object = {}, policy: object = {}) =>
  node('code', 'code', { code: text, ...more }, policy);

type Blob = Omit<Parameters<typeof readyWorkflow>[1], 'nodes'>;

async function runNodes(nodes: object[], payload: unknown = {}, more: Blob = {}) {
  return untilRun(api, await fireRun(api, await readyWorkflow(api, { nodes, ...more }), payload));
}
async function runCode(text: string, payload?: unknown, more: object = {}, policy: object = {}) {
  const run = await runNodes([code(text, more, policy)], payload);
  const [step] = run.steps;
  if (!step) throw new Error('The step was not recorded.');
  return { ...run, ...step };
}

describe('code', () => {
  test('writes a file that it reads again, and its outputs hold the reference', async () => {
    const { outputs } = await runCode(`
      const file = await files.create({ name: 'stock.csv', type: 'text/csv' }, ['sku;qty\\n', 'A;1\\n']);
      return { file, text: await files.text(file) };`);
    expect(outputs).toMatchObject({ file: { name: 'stock.csv', size: 12 }, text: 'sku;qty\nA;1\n' });
  });

  test('sees what expressions see, and its object becomes the outputs', async () => {
    const text = `
      interface Line { qty: number }
      const lines: Line[] = trigger.payload.lines;
      return { total: lines.reduce((sum, { qty }) => sum + qty, nodes.first.outputs.start), seen: Object.keys(inputs),
        by: values.by, text: "{{ trigger.payload }}", run: typeof run.id, type: trigger.type };`;
    const run = await runNodes(
      [node('first', 'set', { values: { start: 10 } }), code(text, { values: { by: '{{ trigger.payload.by }}' } })],
      { lines: [{ qty: 1 }, { qty: 2 }], by: 'SO-1' },
      { edges: chain('first', 'code') },
    );
    expect(run.result).toEqual({
      code: {
        total: 13,
        seen: ['first'],
        by: 'SO-1',
        text: '{{ trigger.payload }}',
        run: expect.stringMatching(/string|number/),
        type: 'webhook',
      },
    });
  });

  test('sees the item and the index of its loop', async () => {
    const body = { nodes: [code('return { line: `${index}: ${item.sku}` };')], edges: [] };
    const run = await runNodes([node('each', 'for-each', { items: '{{ trigger.payload.lines }}', body })], {
      lines: [{ sku: 'A' }, { sku: 'B' }],
    });
    expect(run.result).toMatchObject({
      each: { results: [{ code: { line: '0: A' } }, { code: { line: '1: B' } }] },
    });
  });

  test('keeps state in the namespaces that the workflow declares', async () => {
    const text = `
      await state.set('own', 'n', 1);
      const refused = await state.get('other', 'n').catch((error) => error.code);
      return { kept: (await state.get('own', 'n')).value, refused };`;
    const run = await runNodes([code(text)], {}, { state: { namespaces: { own: 'read_write' } } });
    expect(run.result).toMatchObject({ code: { kept: 1, refused: expect.any(String) } });
  });

  test('sends requests within the limits of egress, with a secret that it was given and that nobody sees', async () => {
    const secret = 'canary/secret+code';
    await call(api, 'PUT', '/secrets/SHOP_KEY', { body: { value: secret } });
    const text = `
      log.info('key', values.key);
      const { status, body } = await http({ method: 'POST', url: values.url, headers: { 'x-key': values.key }, body: { a: 1 } });
      const away = await http({ url: 'http://127.0.0.1:8080/' }).catch((error) => error.code);
      return { status, body, away };`;
    const values = { key: '{{ secrets.SHOP_KEY }}', url: shop.url };
    const run = await runCode(text, {}, { values });
    expect(run.outputs).toEqual({
      status: 200,
      body: { key: '[redacted]', sent: '{"a":1}' },
      away: 'HTTP_REFUSED_ADDRESS',
    });
    const kept = JSON.stringify(await logLines(run.path));
    expect(kept).toContain('key [redacted]');
    expect(JSON.stringify(run) + kept).not.toContain(secret);
  });

  test('has no result, an empty one, or the members of the object', async () => {
    for (const [text, outputs] of [
      ['log.info(1);', {}],
      ['return null;', {}],
      ['return { branch: "other", outputs: 1 };', { branch: 'other', outputs: 1 }],
    ] as const)
      expect(await runCode(text)).toMatchObject({ status: 'succeeded', branch: 'default', outputs });
  });
});

const logLines = async (path: string): Promise<unknown> =>
  (await api.database.system.query('SELECT message FROM run_log_lines WHERE step_path = $1', [path])).rows;

describe('code that fails', () => {
  test.each([
    ['throws', 'const a = 1;\nthrow new Error("No such order.");', 'NODE_THREW', 'No such order. (line 2, column 7)'],
    ['throws with a code', 'throw Object.assign(new Error("Gone."), { code: "GONE" });', 'GONE', /^Gone\. \(line 1, /],
    [
      'reads what is not there',
      '\n\nreturn { a: trigger.payload.b.c };',
      'NODE_THREW',
      /reading 'c'\) \(line 3, column \d+\)$/,
    ],
    [
      'throws in a function of its own',
      'function f(x: any): void {\n  x.y.z();\n}\nf({});',
      'NODE_THREW',
      /\(line 2, column \d+\)$/,
    ],
    [
      'throws a code that cannot be stored',
      'throw Object.assign(new Error("Gone."), { code: "GO\\0NE" });',
      'GONE',
      /^Gone\. \(line 1, /,
    ],
    [
      'returns text that cannot be stored',
      'return { a: "\\0" };',
      'VALIDATION_FAILED',
      'outputs: Text must not hold NUL characters or lone surrogates.',
    ],
    ['throws text', 'throw "No such order.";', 'NODE_THREW', 'No such order.'],
    ['throws nothing', 'throw undefined;', 'NODE_THREW', 'The node threw undefined.'],
    [
      'throws a trap',
      'throw { get message() { throw 1; } };',
      'NODE_THREW',
      'The node threw a value that cannot be read.',
    ],
    ['returns a list', 'return [1];', 'INVALID_RESULT', /^The code returned a list\./],
    ['returns a number', 'return 1;', 'INVALID_RESULT', /^The code returned a number\./],
    ['returns a function', 'return () => 1;', 'INVALID_RESULT', /is not JSON/],
    ['returns a circle', 'const a: any = {}; a.a = a; return a;', 'INVALID_RESULT', /is not JSON/],
    ['returns a BigInt', 'return { a: 1n };', 'INVALID_RESULT', /is not JSON/],
    ['returns 5 MB', 'return { a: "x".repeat(5_000_000) };', 'OUTPUT_TOO_LARGE', /characters/],
    ['needs too much memory', 'const a = []; while (true) a.push(new Array(1e6).fill(1));', 'MEMORY_LIMIT', /memory/],
    ['does not compile', 'return {', 'INVALID_CODE', /\(line 1, column 9\)$/],
  ])('%s', async (_name, text, errorCode, message) => {
    const { error, status } = await runCode(text);
    expect([status, error?.code]).toEqual(['failed', errorCode]);
    expect(error?.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
  });

  test.each([
    ['loops', 'while (true);'],
    ['never settles', 'await new Promise(() => {});'],
    ['loops in its result', 'return { toJSON() { while (true); } };'],
  ])('is stopped when it %s, and the sandbox answers the next step', async (_name, text) => {
    expect(await runCode(text, {}, {}, { timeout_ms: 300 })).toMatchObject({
      status: 'failed',
      error: { code: 'TIMEOUT' },
    });
    expect(await runCode('return { fine: true };')).toMatchObject({ outputs: { fine: true } });
  });

  test('changes neither the scope of other steps nor the sandbox of the next one', async () => {
    const text = `
      Object.prototype.polluted = 1; Array.prototype.map = () => ['x']; JSON.stringify = () => '{"a":"forged"}';
      trigger.payload.order = 'other'; nodes.first.outputs.a = 'other'; delete inputs.first;
      Object.defineProperty(globalThis, '__node', { value: { run: () => ({ forged: true }) } });
      return { a: 'own' };`;
    const run = await runNodes(
      [
        node('first', 'set', { values: { a: 1 } }),
        code(text),
        node('last', 'set', { values: { first: '{{ nodes.first.outputs.a }}', order: '{{ trigger.payload.order }}' } }),
      ],
      { order: 'SO-1' },
      { edges: chain('first', 'code', 'last') },
    );
    expect(run).toMatchObject({ status: 'succeeded', result: { last: { first: 1, order: 'SO-1' } } });
    const next = await runCode('return { polluted: ({} as any).polluted ?? "no", list: [1].map((n) => n + 1) };');
    expect(next.outputs).toEqual({ polluted: 'no', list: [2] });
  });
});

test('a workflow whose code does not compile is not built, and its problem names the line', async () => {
  const blob = { version: 'v1', nodes: [code('const a = 1;\nreturn { a')], edges: [] };
  const query = `query ($blob: JSON!) { validateWorkflow(blob: $blob) { valid issues { code node field line column message } } }`;
  const { data } = await api.graphql<{ validateWorkflow: object }>(query, { blob });
  expect(data.validateWorkflow).toEqual({
    valid: false,
    issues: [
      {
        code: 'INVALID_VALUE',
        node: 'code',
        field: 'config.code',
        line: 2,
        column: 11,
        message: 'config.code: line 2, column 11: The code ends too early: a bracket or a quote is not closed.',
      },
    ],
  });
  const made = await call(api, 'POST', '/workflows', { body: { name: 'Broken', blob } });
  expect(made.status).toBe(201);
  await buildWorkflow(api.deps, { tenantId: 'acme-shop', workflowId: Number(made.body['id']) });
  const { body } = await call(api, 'GET', `/workflows/${made.body['id']}`);
  expect(body).toMatchObject({ bundle: { status: 'failed', error: expect.stringContaining('line 2, column 11') } });
});
