import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { chain, fireRun, node, readyWorkflow, untilRun } from '#test/setup/engine.ts';

let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  await api.graphql('mutation { putSecret(input: { key: "PW", value: "correct-horse" }) { __typename } }');
});

interface Answer {
  evaluateExpression: { value: unknown; error: { message: string; position: number } | null };
}

const query = `query ($expression: String!, $scope: ExpressionScope!) {
  evaluateExpression(expression: $expression, scope: $scope) { value error { message position } }
}`;

async function evaluate(expression: string, scope: object = { sample: {} }) {
  const { data, errors } = await api.graphql<Answer>(query, { expression, scope }, { roles: ['user'] });
  expect(errors).toBeUndefined();
  return data.evaluateExpression;
}

describe('a preview of an expression', () => {
  const sample = { payload: { name: 'Ada' }, outputs: { fetch: { total: 3 } }, item: 'x', index: 2 };

  test.each([
    ['Hello {{ trigger.payload.name }}', 'Hello Ada'],
    ['trigger.payload.name', 'Ada'],
    ['{{ nodes.fetch.outputs.total + index }}', 5],
    ['{{ item }}/{{ trigger.type }}', 'x/manual'],
    ['{{ trigger.payload.nothing }}', null],
    ['no expression {{ "at all" }}', 'no expression at all'],
  ])('sees a sample: %s', async (expression, value) => {
    expect(await evaluate(expression, { sample })).toEqual({ value, error: null });
  });

  test('sees the outputs of a run’s steps', async ({ startEngine }) => {
    await startEngine();
    const nodes = [
      node('first', 'set', { values: { total: '{{ trigger.payload.a + 1 }}' } }),
      node('second', 'fail', { message: 'No stock.' }, { on_error: 'continue' }),
    ];
    const made = await readyWorkflow(api, { nodes, edges: chain('first', 'second') });
    const runId = await fireRun(api, made, { a: 41 });
    await untilRun(api, runId);
    expect(await evaluate('nodes.first.outputs.total', { runId })).toEqual({ value: 42, error: null });
    expect(await evaluate('nodes.second.outputs.error.message', { runId })).toMatchObject({ value: 'No stock.' });
    expect(await evaluate('{{ run.id }}-{{ trigger.type }}', { runId })).toMatchObject({ value: `${runId}-webhook` });
    const other = await api.graphql(query, { expression: 'run', scope: { runId } }, { tenant: 'acme-outlet' });
    expect(other.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  });

  test('never reveals a secret, whatever it computes from it', async () => {
    expect(await evaluate('secrets.PW')).toEqual({ value: '[redacted]', error: null });
    expect(await evaluate('$substring(secrets.PW, 0, 1) = "c"')).toEqual({ value: false, error: null });
    expect(await evaluate('$length(secrets.PW)')).toEqual({ value: '[redacted]'.length, error: null });
    expect((await evaluate('secrets.NONE')).error?.message).toContain('There is no secret NONE');
  });

  test.each([
    ['1 + ', 'a syntax error'],
    ['{{ ($f := function($n) { 1 + $f($n + 1) }; $f(0)) }}', 'too much computing'],
    ['$pad("x", 2000000)', 'too long a text'],
  ])('says what is wrong: %s', async (expression) => {
    const { value, error } = await evaluate(expression);
    expect(value).toBeNull();
    expect(error).toEqual({ message: expect.any(String), position: expect.any(Number) });
  });

  test('shares one limit with the others of its request, which may have four', async () => {
    // About 190,000 steps of the 500,000 that one evaluation may take, however fast the machine is.
    const slow = '$sum([1..9000].(1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1))';
    const several = (count: number) => {
      const fields = Array.from(
        { length: count },
        (_, index) =>
          `a${index}: evaluateExpression(expression: $e, scope: { sample: {} }) { value error { message } }`,
      );
      return api.graphql<Record<string, { value: unknown; error: { message: string } | null }>>(
        `query ($e: String!) { ${fields.join(' ')} }`,
        { e: slow },
      );
    };
    const refused = await several(5);
    expect(refused.errors?.[0]?.message).toMatch(/cost/);
    const { data } = await several(4);
    expect(data.a0).toEqual({ value: 90_000, error: null });
    expect(Object.values(data).at(-1)?.error?.message).toMatch(/(steps|ms); work on fewer items/);
    expect((await evaluate('1 + 1')).value).toBe(2);
  });

  test.each([{}, { runId: 1, sample: {} }])('requires a run or a sample: not %j', async (scope) => {
    const { errors } = await api.graphql(query, { expression: '1', scope });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_REQUEST' } }]);
  });
});
