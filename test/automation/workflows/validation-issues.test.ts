import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { node } from '#test/setup/engine.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

interface Issue {
  severity: string;
  code: string;
  path: string;
  node: string | null;
  field: string | null;
  message: string;
  fix: { operation: 'SET' | 'REMOVE'; path: string; value: unknown } | null;
}

interface Validation {
  errors: { path: string; messages: string[] }[];
  warnings: { path: string; messages: string[] }[];
  issues: Issue[];
}

async function validate(blob: unknown): Promise<Validation> {
  const { data, errors } = await api.graphql<{ validateWorkflow: Validation }>(
    `query ($blob: JSON!) { validateWorkflow(blob: $blob) {
      errors { path messages } warnings { path messages }
      issues { severity code path node field message fix { operation path value } }
    } }`,
    { blob },
  );
  expect(errors).toBeUndefined();
  return data.validateWorkflow;
}

const set = (id: string, more: object = {}) => node(id, 'set', { values: {} }, more);
const edge = (from: object, to: string) => ({ from, to });

const keep = node('keep', 'state-set', { namespace: 'erp.orders', key: 'x', value: 1 });

/** Changes a blob as a client does that follows a fix. */
function mend(blob: unknown, { operation, path, value }: NonNullable<Issue['fix']>): unknown {
  const whole = { blob: structuredClone(blob) };
  const keys = path.split('.');
  const last = keys.pop() as string;
  const holder = keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], whole);
  if (operation === 'SET') (holder as Record<string, unknown>)[last] = value;
  else if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete (holder as Record<string, unknown>)[last];
  return whole.blob;
}

const mendable: [string, string | null, object[], object[], object?][] = [
  ['UNKNOWN_VERSION', 'a', [set('a', { version: '7.0.0' })], []],
  ['INVALID_VERSION', 'a', [set('a', { version: 'newest' })], []],
  ['DUPLICATE_ID', 'a', [set('a'), set('a')], []],
  ['UNKNOWN_EDGE_END', null, [set('first'), set('second')], [edge({ node: 'first' }, 'secnd')]],
  ['UNKNOWN_EDGE_END', null, [set('first'), set('second')], [edge({ node: 'frst' }, 'second')]],
  ['UNKNOWN_EDGE_END', null, [set('first')], [edge({ node: 'first' }, 'nothing-like-it')]],
  ['UNKNOWN_BRANCH', null, [set('first'), set('second')], [edge({ node: 'first', branch: 'x' }, 'second')]],
  ['UNKNOWN_FIELD', 'a', [node('a', 'set', { values: {}, colour: 'red' })], []],
  ['UNKNOWN_FIELD', 'a', [node('a', 'fail', { message: 'No.' }, { on_error: 'continue' })], []],
  ['UNKNOWN_MEMBER', 'b', [set('get-order'), node('b', 'set', { values: { id: 'No. {{ nodes.get-order.id }}' } })], []],
  ['UNKNOWN_MEMBER', 'b', [node('b', 'if', { condition: 'lines.length > 0' })], []],
  [
    'TRIGGER_IN_LOOP',
    'each',
    [node('each', 'for-each', { items: [1], body: { nodes: [set('in')], edges: [edge({ trigger: 'x' }, 'in')] } })],
    [],
  ],
  ['INVALID_VALUE', 'kept', [node('kept', 'filter', { items: 'nodes.get-a.outputs.list[0]', condition: 'true' })], []],
  [
    'INVALID_VALUE',
    'each',
    [node('each', 'for-each', { items: ' trigger.payload.lines', body: { nodes: [], edges: [] } })],
    [],
  ],
  ['UNDECLARED_NAMESPACE', 'get', [node('get', 'state-get', { namespace: 'erp.orders', key: 'x' })], []],
  ['UNDECLARED_NAMESPACE', 'keep', [keep], [], { state: {} }],
  ['UNDECLARED_NAMESPACE', 'keep', [keep], [], { state: { namespaces: { 'erp.orders': 'read', other: 'read' } } }],
];

describe('an issue of a blob', () => {
  test.each(mendable)('%s has a fix that mends it', async (code, at, nodes, edges, more = {}) => {
    const blob = { version: 'v1', nodes, edges, ...more };
    const { issues } = await validate(blob);
    const issue = issues.find((each) => each.code === code);
    expect(issue).toMatchObject({ node: at, fix: { path: expect.stringMatching(/^blob\./) } });
    const mended = await validate(mend(blob, issue?.fix as NonNullable<Issue['fix']>));
    expect(mended.issues.filter((each) => each.code === code)).toEqual([]);
  });

  test('is told beside the errors and warnings, each once, errors first', async () => {
    const loop = { items: [1], body: { nodes: [node('call', 'http-request', {})], edges: [] } };
    const blob = {
      version: 'v1',
      nodes: [
        node('a', 'set', { values: { x: '{{ nodes.gone.outputs.y }}', z: '{{ 1 + }}', s: '{{ secrets.NONE }}' } }),
        node('each', 'for-each', loop),
        node('get', 'state-get', { namespace: 'orders', key: 'x' }),
        node('sub', 'sub-workflow', { workflow_id: 99_999 }),
      ],
      edges: [edge({ node: 'a' }, 'each')],
    };
    const { errors, warnings, issues } = await validate(blob);
    const listed = [...errors, ...warnings].flatMap(({ path, messages }) =>
      messages.map((message) => `${path} ${message}`),
    );
    expect(issues.map(({ path, message }) => `${path} ${message}`).toSorted()).toEqual(listed.toSorted());
    expect(issues.map(({ severity }) => severity)).toEqual(issues.map(({ severity }) => severity).toSorted());
    expect(issues).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ code: 'INVALID_EXPRESSION', node: 'a', field: 'config.values.z', severity: 'ERROR' }),
        expect.objectContaining({ code: 'REQUIRED', node: 'each/call', field: 'config.url' }),
        expect.objectContaining({ code: 'UNDECLARED_NAMESPACE', node: 'get', field: 'config.namespace' }),
        expect.objectContaining({ code: 'MISSING_REFERENCE', node: 'sub', field: 'config.workflow_id' }),
        expect.objectContaining({
          code: 'UNKNOWN_REFERENCE',
          node: 'a',
          field: 'config.values.x',
          severity: 'WARNING',
        }),
        expect.objectContaining({ code: 'MISSING_SECRET', node: 'a' }),
        expect.objectContaining({ code: 'DETACHED', node: 'get', field: null }),
      ]),
    );
  });

  test.each([
    [{}, { operation: 'SET', path: 'blob.state', value: { namespaces: { 'erp.orders': 'read_write' } } }, 'Declare'],
    [
      { state: { namespaces: { 'erp.orders': 'read', other: 'read' } } },
      {
        operation: 'SET',
        path: 'blob.state.namespaces',
        value: { 'erp.orders': 'read_write', other: 'read' },
      },
      'for reading alone',
    ],
    [{ state: { namespaces: Object.fromEntries([...Array(50).keys()].map((at) => [`n${at}`, 'read'])) } }, null, ''],
  ])('declares a namespace of state beside those of %j', async (more, fix, said) => {
    const { issues } = await validate({ version: 'v1', nodes: [keep], edges: [], ...more });
    expect(issues).toMatchObject([{ code: 'UNDECLARED_NAMESPACE', fix, message: expect.stringContaining(said) }]);
    expect(issues[0]?.message).not.toContain('blob');
  });

  test('says what a path without .outputs was probably meant to be, beside the field', async () => {
    const get = node('get', 'http-request', { url: 'https://erp.example' });
    const values = { list: [{ id: '{{ nodes.get.body.id }} of {{ nodes.get.outputs.id }}' }] };
    const { issues } = await validate({
      version: 'v1',
      nodes: [get, node('use', 'set', { values })],
      edges: [edge({ node: 'get' }, 'use')],
    });
    expect(issues).toMatchObject([
      {
        severity: 'WARNING',
        code: 'UNKNOWN_MEMBER',
        node: 'use',
        field: 'config.values.list.0.id',
        message: expect.stringContaining('Did you mean nodes.get.outputs.body.id?'),
        fix: { operation: 'SET', value: '{{ nodes.get.outputs.body.id }} of {{ nodes.get.outputs.id }}' },
      },
      {
        message: expect.stringContaining('"get" declares no output "id"'),
        fix: { value: '{{ nodes.get.body.id }} of {{ nodes.get.outputs.body.id }}' },
      },
    ]);
  });

  test.each(['text', [], { version: 'v2' }, { version: 'v1', nodes: [{ id: 'a' }] }])(
    'reports a value that is not a blob: %j',
    async (blob) => {
      const { issues } = await validate(blob);
      expect(new Set(issues.map(({ code }) => code))).toEqual(new Set(['INVALID_BLOB']));
    },
  );

  test('reports at most 200 places', async () => {
    const nodes = Array.from({ length: 400 }, (_, index) => set(`n${index}`, { version: '9.9.9' }));
    expect((await validate({ version: 'v1', nodes, edges: [] })).issues).toHaveLength(200);
  });
});
