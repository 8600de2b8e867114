import { describe, expect } from 'vitest';
import { functionHelp } from '#src/automation/expressions/function-help.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { chain, fireRun, node, readyWorkflow, readRun, untilRun } from '#test/setup/engine.ts';

let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
});

interface Evaluated {
  value: unknown;
  type: string | null;
  error: { message: string; position: number } | null;
}

const query = `query ($expressions: [String!]!, $scope: ExpressionScope!) {
  evaluateExpressions(expressions: $expressions, scope: $scope) { value type error { message position } }
}`;

async function evaluate(expressions: string[], scope: object = { sample: {} }): Promise<Evaluated[]> {
  const answer = await api.graphql<{ evaluateExpressions: Evaluated[] }>(
    query,
    { expressions, scope },
    { roles: ['user'] },
  );
  expect(answer.errors).toBeUndefined();
  return answer.data.evaluateExpressions;
}

const payload = {
  id: '820982911946154508',
  note: null,
  lines: [
    { sku: 'MUG-1', qty: 2, price: '19.90' },
    { sku: 'PEN-1', qty: 10, price: '1.05' },
  ],
};

const first = node('first-step', 'set', {
  values: { total: '{{ $sum(trigger.payload.lines.qty) }}', lines: '{{ trigger.payload.lines }}' },
});

describe('a list of expressions', () => {
  test('yields what the engine yields for the same run', async ({ startEngine }) => {
    await startEngine();
    const expressions = [
      '{{ trigger.payload.lines }}',
      'Order {{ trigger.payload.id }}: {{ nodes.first-step.outputs.total }} pieces',
      '{{ trigger.payload.lines[qty > 5] }}',
      '{{ trigger.payload.lines[qty > 5][] }}',
      '{{ trigger.payload.lines[qty > 50] }}',
      '{{ trigger.payload.lines.{"sku": sku, "order": $trigger.payload.id} }}',
      '{{ nodes.first-step.outputs.lines[0].price }}',
      '{{ trigger.payload.note }}',
      '{{ trigger.payload.nothing }}',
      '{{ trigger.payload.note }}-{{ trigger.payload.nothing }}-{{ trigger.payload.lines[0] }}',
      '{{ run.id }}',
      '{{ trigger.type }} {{ trigger.handle }}',
      String.raw`\{{ braces }}`,
      '{{ item }}{{ index }}',
      '{{ $decimalSum(trigger.payload.lines.$decimalMultiply(price, qty)) }}',
      ...functionHelp.map(({ example }) => `{{ ${example} }}`),
    ].slice(0, 100);
    const values = Object.fromEntries(expressions.map((text, index) => [`v${index}`, text]));
    const made = await readyWorkflow(api, {
      nodes: [first, node('all', 'set', { values })],
      edges: chain('first-step', 'all'),
    });
    const runId = await fireRun(api, made, payload);
    expect(await untilRun(api, runId)).toMatchObject({ status: 'succeeded' });
    const { steps } = await readRun(api, runId);
    const engine = steps.find(({ path }) => path === 'all')?.outputs as Record<string, unknown>;
    const here = await evaluate(expressions, { runId });
    expect(here).toHaveLength(expressions.length);
    for (const [index, { value, type, error }] of here.entries()) {
      expect(error, expressions[index]).toBeNull();
      expect(type === 'NOTHING' ? undefined : value, expressions[index]).toEqual(engine[`v${index}`]);
    }
    expect(here.slice(0, 9).map(({ type }) => type)).toEqual([
      'ARRAY',
      'STRING',
      'OBJECT',
      'ARRAY',
      'NOTHING',
      'ARRAY',
      'STRING',
      'NULL',
      'NOTHING',
    ]);
  });

  test.each([
    '{{ $number("x") }}',
    'a {{ trigger.payload.lines > 3 }}',
    '{{ $error("No stock.") }}',
    '{{ secrets.NONE }}',
  ])('fails as the engine fails: %s', async (text) => {
    const bundle = { nodes: [node('all', 'set', { values: { v: text } })] };
    const made = await readyWorkflow(api, bundle);
    const runId = await fireRun(api, made, payload);
    await untilRun(api, runId, 'failed');
    const run = await readRun(api, runId);
    const [{ error } = { error: undefined }] = await evaluate([text], { runId });
    expect(error?.message).toEqual(expect.any(String));
    expect(run.steps[0]?.error?.message).toContain(error?.message);
  });

  test('gives each its own value or error with its position, in order', async () => {
    const sample = { payload: { name: 'Ada' } };
    expect(
      await evaluate(['trigger.payload.name', 'Hi {{ 1 + }}', '{{ 3 > 2 }}', 'trigger.payload.name'], { sample }),
    ).toEqual([
      { value: 'Ada', type: 'STRING', error: null },
      { value: null, type: null, error: { message: expect.any(String), position: expect.any(Number) } },
      { value: true, type: 'BOOLEAN', error: null },
      { value: 'Ada', type: 'STRING', error: null },
    ]);
    expect(await evaluate([])).toEqual([]);
  });

  test('shares the limits of one expression', async () => {
    const slow = '$sum([1..9000].(1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1))';
    const made = await evaluate([slow, slow, slow, slow, '1']);
    expect(made[0]).toMatchObject({ value: 90_000 });
    expect(made[3]?.error?.message).toMatch(/(steps|ms); work on fewer items/);
  });

  test('yields at most 8 MiB in total', async () => {
    const sample = { payload: { text: 'x'.repeat(500_000) } };
    const made = await evaluate(
      Array.from({ length: 30 }, () => 'trigger.payload.text'),
      { sample },
    );
    expect(made.filter(({ error }) => error === null)).toHaveLength(16);
    expect(made.at(-1)?.error?.message).toContain('too large together');
  });

  test.each([
    ['too many', Array.from({ length: 101 }, () => '1'), 'at most 100 expressions'],
    ['too long', ['x'.repeat(262_145)], 'at most 262144 characters'],
  ])('is refused when there are %s', async (_, expressions, message) => {
    const { errors } = await api.graphql(query, { expressions, scope: { sample: {} } });
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED' } }]);
    expect(JSON.stringify(errors)).toContain(message);
  });

  test('is not found for a run of another tenant', async () => {
    const runId = await fireRun(api, await readyWorkflow(api, { nodes: [] }));
    const { errors } = await api.graphql(query, { expressions: ['1'], scope: { runId } }, { tenant: 'acme-outlet' });
    expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  });
});

test('the functions of expressions are listed with a line of help each', async () => {
  const answer = await api.graphql<{ expressionFunctions: { name: string }[] }>(
    '{ expressionFunctions { name signature description example yields } }',
    {},
    { roles: ['user'] },
  );
  expect(answer.errors).toBeUndefined();
  expect(answer.data.expressionFunctions).toEqual(functionHelp);
});
