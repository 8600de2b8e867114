import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { chain, node } from '#test/setup/engine.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

interface FieldError {
  path: string;
  messages: string[];
}
interface Answer {
  validateWorkflow: { valid: boolean; errors: FieldError[]; warnings: FieldError[] };
}

async function validate(blob: unknown, more: object = {}) {
  const query = `query ($blob: JSON!, $workflowId: ID) {
    validateWorkflow(blob: $blob, workflowId: $workflowId) {
      valid errors { path messages } warnings { path messages }
    }
  }`;
  const { data, errors } = await api.graphql<Answer>(query, { blob, ...more }, { roles: ['user'] });
  expect(errors).toBeUndefined();
  return data.validateWorkflow;
}

const create = `mutation ($blob: JSON!) {
  createWorkflow(input: { name: "Never saved", blob: $blob }) {
    ... on ValidationError { fields { path messages } }
  }
}`;

const set = (id: string, more: object = {}) => node(id, 'set', { values: { a: 1 } }, more);
const workflow = (nodes: object[], edges: object[] = []) => ({ version: 'v1', nodes, edges });
const loop = (body: object) => workflow([node('each', 'for-each', { items: '{{ trigger.payload }}', body })]);

describe('a workflow that is validated without saving', () => {
  test('is valid if it could be saved and built', async () => {
    const valid = workflow([set('one'), set('two')], chain('one', 'two'));
    expect(await validate(valid)).toEqual({ valid: true, errors: [], warnings: [] });
    const { rows } = await api.database.system.query('SELECT count(*)::int AS made FROM workflows');
    expect(rows).toEqual([{ made: 0 }]);
  });

  test.each([
    ['another shape', { version: 'v2', nodes: 'none' }],
    ['an unknown node', workflow([node('one', 'no-such')])],
    ['an unknown version', workflow([set('one', { version: '9.0.0' })])],
    ['a cycle', workflow([set('one'), set('two')], chain('one', 'two', 'one'))],
    ['an edge to nowhere', workflow([set('one')], chain('one', 'two'))],
    ['a broken expression', workflow([node('one', 'set', { values: { a: '{{ 1 + }}' } })])],
    ['a fault in a loop', loop({ nodes: [node('in', 'no-such')], edges: [] })],
    ['too many nodes', workflow(Array.from({ length: 501 }, (_, index) => set(`n${index}`)))],
  ])('has the messages of saving for %s', async (_what, blob) => {
    const { valid, errors } = await validate(blob);
    const { data } = await api.graphql<{ createWorkflow: { fields: FieldError[] } }>(create, { blob });
    expect(valid).toBe(false);
    expect(errors.length).toBeGreaterThan(0);
    expect(errors).toEqual(data.createWorkflow.fields);
  });

  test('has the messages of the build, at the field', async () => {
    const { errors } = await validate(loop({ nodes: [node('in', 'http-request', {})], edges: [] }));
    expect(errors).toEqual([
      { path: 'blob.nodes.0.config.body.nodes.0.config.url', messages: ['config.url: is required.'] },
    ]);
  });

  test('has warnings for nodes that no trigger leads to', async () => {
    const started = workflow([set('one'), set('two')], [{ from: { trigger: 'start' }, to: 'one' }]);
    const { valid, warnings } = await validate(started);
    expect(valid).toBe(true);
    expect(warnings).toEqual([{ path: 'blob.nodes.1', messages: [expect.stringContaining('trigger')] }]);
  });

  const reading = (value: string) =>
    workflow([set('one'), node('two', 'set', { values: { a: { b: value } } })], chain('one', 'two'));
  const condition = (text: string) => workflow([node('check', 'if', { condition: text })]);
  test.each([
    ['a node that is not there', reading('{{ nodes.zz.outputs.x }}'), 'blob.nodes.1.config.values.a.b', '"zz"'],
    [
      'one in a condition without braces',
      condition('$count(nodes.zz-1.outputs.x) > 0'),
      'blob.nodes.0.config.condition',
      '"zz-1"',
    ],
    [
      'a secret that is not set',
      reading('Bearer {{ secrets.NOPE }}'),
      'blob.nodes.1.config.values.a.b',
      'no secret NOPE',
    ],
    [
      'a field that a node lacks',
      workflow([node('one', 'set', { values: {}, valeus: {} })]),
      'blob.nodes.0.config.valeus',
      'it has values',
    ],
    [
      'a node without edges',
      workflow([set('one'), set('two'), set('alone')], chain('one', 'two')),
      'blob.nodes.2',
      'No edge leads here',
    ],
    [
      'a node of a loop, read from outside',
      workflow(
        [
          node('each', 'for-each', { items: [], body: { nodes: [set('in')], edges: [] } }),
          node('out', 'set', { values: { a: '{{ nodes.in.outputs.a }}' } }),
        ],
        chain('each', 'out'),
      ),
      'blob.nodes.1.config.values.a',
      '"in"',
    ],
  ])('is warned of %s, and valid', async (_what, blob, path, message) => {
    const { valid, warnings } = await validate(blob);
    expect(valid).toBe(true);
    expect(warnings).toEqual([{ path, messages: [expect.stringContaining(message)] }]);
  });

  test('has no warnings for nodes around a loop, an existing secret, or text that only looks like a node', async () => {
    const put = `mutation { putSecret(input: { key: "TOKEN", value: "a-token-of-some-length" }) { ... on Error { message } } }`;
    expect((await api.graphql(put)).errors).toBeUndefined();
    const values = {
      a: '{{ nodes.one.outputs.a }} {{ secrets.TOKEN }}',
      b: '{{ trigger.payload.nodes.zz.outputs }} {{ "nodes.zz.outputs" }}',
      c: '{{ nodes.inner-1.outputs.a }}',
    };
    const body = { nodes: [set('inner-1'), node('in', 'set', { values })], edges: chain('inner-1', 'in') };
    const blob = workflow([set('one'), node('each', 'for-each', { items: [], body })], chain('one', 'each'));
    expect(await validate(blob)).toEqual({ valid: true, errors: [], warnings: [] });
  });

  test('is not compared with a workflow of another tenant', async () => {
    const answer = await api.graphql('query { validateWorkflow(blob: {}, workflowId: 999) { valid } }');
    expect(answer).toEqual({ data: { validateWorkflow: null } });
  });
});
