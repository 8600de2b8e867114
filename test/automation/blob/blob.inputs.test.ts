import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { workflowBlobSchema } from '#src/automation/blob/blob.inputs.ts';
import { workflowBlobV1Schema } from '#src/automation/packages/schemas/workflow-blob.v1.schema.ts';

const blob = {
  version: 'v1',
  nodes: [
    {
      id: 'map',
      node: 'core:set',
      version: '1.0.0',
      config: { values: { a: '{{ trigger.payload.a }}' } },
      position: { x: 1, y: 2.5 },
      retry: { limit: 3 },
      timeout_ms: 1000,
      on_error: 'branch',
    },
    { id: 'send', node: 'erp-nodes:create-order', version: 'latest' },
  ],
  edges: [
    { from: { trigger: '6b8f3c1e-7a52-4f0e-9d5b-0c3f0a1b2c3d' }, to: 'map' },
    { from: { node: 'map' }, to: 'send' },
  ],
  state: { namespaces: { orders: 'read_write' } },
  settings: { concurrency: 5, timeout_ms: 60_000, error_workflow_id: 4, retention_days: 30 },
};

const published = new Ajv2020({ strict: false }).compile(workflowBlobV1Schema);

const first = blob.nodes[0];
const withNode = (change: object) => ({ ...blob, nodes: [{ ...first, ...change }] });
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

test('a full blob parses, and defaults are filled in', () => {
  const parsed = workflowBlobSchema.parse(blob);
  expect(parsed.nodes[1]).toMatchObject({ config: {}, on_error: 'fail' });
  expect(parsed.nodes[0]?.retry).toEqual({ limit: 3, delay_ms: 1000, backoff: 'exponential', max_delay_ms: 300_000 });
  expect(parsed.edges[1]?.from).toEqual({ node: 'map', branch: 'default' });
  expect(published(blob)).toBe(true);
});

test('unknown members are ignored', () => {
  const parsed = workflowBlobSchema.parse({ ...blob, colour: 'red', nodes: [{ ...first, note: 'hello' }], edges: [] });
  expect(parsed).not.toHaveProperty('colour');
  expect(parsed.nodes[0]).not.toHaveProperty('note');
});

describe('a violation of the schema is reported at its path, by the published schema too', () => {
  test.each([
    ['version', { ...blob, version: 'v2' }],
    ['nodes', { ...blob, nodes: {} }],
    ['nodes', { ...blob, nodes: Array.from({ length: 501 }, (_, n) => ({ ...first, id: `n${n}` })) }],
    ['edges', { ...blob, edges: Array.from({ length: 2001 }, () => blob.edges[1]) }],
    ['nodes.0.id', withNode({ id: 'has space' })],
    ['nodes.0.id', withNode({ id: 'x'.repeat(65) })],
    ['nodes.0.node', withNode({ node: 'set' })],
    ['nodes.0.version', withNode({ version: 1 })],
    ['nodes.0.config', withNode({ config: [] })],
    ['nodes.0.retry.limit', withNode({ retry: { limit: -1 } })],
    ['nodes.0.retry.backoff', withNode({ retry: { limit: 1, backoff: 'random' } })],
    ['nodes.0.timeout_ms', withNode({ timeout_ms: 0 })],
    ['nodes.0.on_error', withNode({ on_error: 'ignore' })],
    ['edges.0.from', { ...blob, edges: [{ from: {}, to: 'map' }] }],
    ['edges.0.to', { ...blob, edges: [{ from: { node: 'map' }, to: 7 }] }],
    ['settings.concurrency', { ...blob, settings: { concurrency: 0 } }],
    ['state.namespaces.x', { ...blob, state: { namespaces: { x: 'write' } } }],
  ])('%s', (path, document) => {
    const result = workflowBlobSchema.safeParse(document);
    expect(result.error?.issues.map((issue) => issue.path.join('.'))).toContain(path);
    expect(published(document)).toBe(false);
  });
});

test('a config may nest 64 levels, and deeper input is refused at any depth', () => {
  expect(workflowBlobSchema.safeParse(withNode({ config: { a: nested(63) } })).success).toBe(true);
  expect(workflowBlobSchema.safeParse(withNode({ config: { a: nested(64) } })).success).toBe(false);
  expect(workflowBlobSchema.safeParse(withNode({ config: { a: nested(5000) } })).success).toBe(false);
});
