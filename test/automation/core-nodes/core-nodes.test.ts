import { describe, expect, test } from 'vitest';
import { coreNodes } from '#src/automation/core-nodes/core-nodes.ts';
import { coreNodeManifests } from '#src/automation/core-nodes/manifests.ts';
import { coreNode, run } from './context.ts';

test('every executable core node has a manifest, and every manifest a node', () => {
  expect(coreNodes.map(({ slug }) => slug).toSorted()).toEqual(coreNodeManifests.map(({ slug }) => slug).toSorted());
});

describe('core:set', () => {
  test('returns its values', async () => {
    const config = { values: { id: '{{ trigger.payload.id }}', total: '{{ 1 + 1 }}', fixed: [1] } };
    expect(await run('core:set', config, { payload: { id: 'a' } })).toEqual({
      outputs: { id: 'a', total: 2, fixed: [1] },
    });
  });

  test('accepts an expression only if it yields an object', async () => {
    expect(await run('core:set', { values: '{{ trigger.payload }}' }, { payload: { a: 1 } })).toEqual({
      outputs: { a: 1 },
    });
    await expect(run('core:set', { values: '{{ trigger.payload }}' }, { payload: [1] })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
    });
  });
});

describe('core:if', () => {
  test.each([
    ['{{ trigger.payload > 1 }}', 2, 'true'],
    ['{{ trigger.payload > 1 }}', 1, 'false'],
    ['trigger.payload = 2', 2, 'true'],
    ['{{ trigger.payload }}', true, 'true'],
    ['{{ trigger.payload }}', false, 'false'],
    ['{{ trigger.payload }}', 'false', 'false'],
    ['{{ trigger.payload }}', 'no', 'true'],
    ['{{ trigger.payload }}', '', 'false'],
    ['{{ trigger.payload }}', 0, 'false'],
    ['{{ trigger.payload }}', [], 'false'],
    ['{{ trigger.payload }}', {}, 'false'],
    ['{{ trigger.payload }}', [0], 'true'],
    ['{{ trigger.payload.missing }}', {}, 'false'],
    ['{{ trigger.payload.a }} ', { a: false }, 'false'],
    [true, null, 'true'],
    [false, null, 'false'],
    ['false', null, 'false'],
  ])('%s of %j goes along %s', async (condition, payload, branch) => {
    expect(await run('core:if', { condition }, { payload })).toEqual({ outputs: {}, branch });
  });

  test('needs a condition', async () => {
    await expect(run('core:if', {})).rejects.toThrow('config.condition');
  });
});

test.each([
  ['a', 'first'],
  [2, 'second'],
  ['2', 'default'],
  [{ x: [1] }, 'third'],
  [null, 'fourth'],
  ['z', 'default'],
])('core:switch takes the case that equals %j: %s', async (payload, branch) => {
  const cases = [
    { equals: 'a', branch: 'first' },
    { equals: 2, branch: 'second' },
    { equals: { x: [1] }, branch: 'third' },
    { equals: null, branch: 'fourth' },
    { equals: 'a', branch: 'never' },
  ];
  expect(await run('core:switch', { value: '{{ trigger.payload }}', cases }, { payload })).toEqual({
    outputs: {},
    branch,
  });
});

test('core:merge returns the outputs of the nodes it joins, by node id', async () => {
  const inputs = { left: { a: 1 }, right: { b: 2 } };
  expect(await run('core:merge', {}, { ctx: { inputs } })).toEqual({ outputs: inputs });
});

describe('core:filter', () => {
  test.each([
    ['{{ item.qty > 1 }}', [2, 3]],
    ['{{ item.on }}', [1, 3]],
    ['item.qty = 3', [3]],
    ['{{ index = 0 }}', [1]],
    [true, [1, 2, 3]],
    ['{{ item.missing }}', []],
  ])('keeps the items for which %s holds', async (condition, kept) => {
    const items = [
      { qty: 1, on: true },
      { qty: 2, on: false },
      { qty: 3, on: true },
    ];
    const { outputs } = await run('core:filter', { items: '{{ trigger.payload }}', condition }, { payload: items });
    expect(outputs).toEqual({ items: items.filter(({ qty }) => kept.includes(qty)) });
  });

  test('accepts only lists', async () => {
    await expect(
      run('core:filter', { items: '{{ trigger.payload }}', condition: true }, { payload: 'x' }),
    ).rejects.toThrow('config.items');
  });

  test('stops when its step is aborted, and yields to other work until then', async () => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error('stopped')), 20);
    const payload = Array.from({ length: 100_000 }, (_, index) => index);
    const config = { items: '{{ trigger.payload }}', condition: '{{ $string(item) & "x" = "yx" }}' };
    await expect(run('core:filter', config, { payload, ctx: { signal: abort.signal } })).rejects.toThrow('stopped');
  });
});

test('core:fail fails the run with its message', async () => {
  await expect(run('core:fail', { message: 'Order {{ trigger.payload }}' }, { payload: 7 })).rejects.toMatchObject({
    code: 'FAILED',
    message: 'Order 7',
    failsRun: true,
    retryable: false,
  });
});

test.each([{ a: 1 }, 'text', null, [1]])('core:respond sets the result of the run: %j', async (payload) => {
  expect(await run('core:respond', { value: '{{ trigger.payload }}' }, { payload })).toEqual({
    outputs: { value: payload },
    response: { value: payload },
  });
});

describe('core:emit-event', () => {
  test('passes its topic and data to its host', async () => {
    const emitted: unknown[] = [];
    const events = { emit: async (event: unknown) => void emitted.push(event) };
    await run('core:emit-event', { topic: 'order.mapped', data: { id: 1 } }, { ports: { events } });
    expect(emitted).toEqual([{ topic: 'order.mapped', data: { id: 1 } }]);
  });

  test.each(['', 'Order', 'a..b', '.a', 'a b', 'x'.repeat(129)])('refuses the topic %j', async (topic) => {
    await expect(run('core:emit-event', { topic })).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  });
});

describe('state', () => {
  const entries = new Map<string, { value: unknown; version: number }>();
  const state = {
    get: async (namespace: string, key: string) => entries.get(`${namespace}/${key}`),
    set: async (entry: { namespace: string; key: string; value: unknown; version?: number; ttlSeconds?: number }) => {
      const name = `${entry.namespace}/${entry.key}`;
      const version = (entries.get(name)?.version ?? 0) + 1;
      entries.set(name, { value: entry.value, version });
      return { version };
    },
  };

  test('is read, written, and read again', async () => {
    const where = { namespace: 'orders', key: 'last' };
    expect(await run('core:state-get', { ...where, default: 0 }, { ports: { state } })).toEqual({
      outputs: { value: 0, version: 0, found: false },
    });
    expect(await run('core:state-set', { ...where, value: { id: 1 } }, { ports: { state } })).toEqual({
      outputs: { version: 1 },
    });
    expect(await run('core:state-get', where, { ports: { state } })).toEqual({
      outputs: { value: { id: 1 }, version: 1, found: true },
    });
  });

  test.each([
    [{ key: 'k', value: 1 }],
    [{ namespace: 'n', value: 1 }],
    [{ namespace: 'n', key: 'k' }],
    [{ namespace: 'n', key: 'k', value: 1, version: -1 }],
    [{ namespace: 'n', key: 'k', value: 1, ttl_seconds: 0 }],
  ])('is not written with %j', async (config) => {
    await expect(run('core:state-set', config)).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  });
});

describe('the config of nodes that the engine runs', () => {
  const body = { nodes: [{ id: 'a', node: 'core:set', version: '1.0.0' }], edges: [] };
  test.each([
    ['core:for-each', { items: [1], body }, true],
    ['core:for-each', { items: [1], body, concurrency: 100, on_error: 'continue' }, true],
    ['core:for-each', { items: 'x', body }, false],
    ['core:for-each', { items: [], body, concurrency: 0 }, false],
    ['core:for-each', { items: [], body, concurrency: 101 }, false],
    ['core:for-each', { items: [] }, false],
    ['core:for-each', { items: [], body, on_error: 'branch' }, false],
    ['core:wait', { duration_ms: 5 }, true],
    ['core:wait', { until: '2026-01-02T03:04:05+02:00' }, true],
    ['core:wait', { until: '2026-01-02' }, true],
    ['core:wait', { resume: true }, true],
    ['core:wait', { duration_ms: 5, resume: false }, true],
    ['core:wait', {}, false],
    ['core:wait', { resume: false }, false],
    ['core:wait', { duration_ms: 5, resume: true }, false],
    ['core:wait', { duration_ms: -1 }, false],
    ['core:wait', { until: 'tomorrow' }, false],
    ['core:sub-workflow', { workflow_id: 1 }, true],
    ['core:sub-workflow', { workflow_id: 1, payload: { a: 1 }, wait: false }, true],
    ['core:sub-workflow', { workflow_id: 'x' }, false],
  ])('%s with %j is accepted: %s', (slug, config, accepted) => {
    expect(coreNode(slug).config.safeParse(config).success).toBe(accepted);
    expect(coreNode(slug).effect).toBe('control');
  });
});
