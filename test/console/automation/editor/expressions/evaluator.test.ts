import { expect, test, vi } from 'vitest';
import { type Evaluation, Evaluator } from '#console/automation/editor/expressions/evaluator.ts';
import { shortJson } from '#console/automation/editor/expressions/short-json.ts';

test('fields that change together share one request, which asks only for what is not known', async () => {
  const requests: (readonly string[])[] = [];
  const evaluator = new Evaluator(async (texts) => {
    requests.push(texts);
    return texts.map((text): Evaluation => ({ kind: 'value', text: `<${text}>`, type: 'STRING' }));
  });
  evaluator.want('url', ['{{ a']);
  evaluator.want('url', ['{{ a }}']);
  evaluator.want('body', ['{{ b }}', '{{ c }}']);
  await vi.waitFor(() => expect(evaluator.result('{{ c }}')).toMatchObject({ text: '<{{ c }}>' }), 30_000);
  evaluator.want('body', ['{{ b }}', '{{ d }}']);
  await vi.waitFor(() => expect(evaluator.result('{{ d }}')).toBeDefined(), 30_000);
  expect(requests).toEqual([['{{ a }}', '{{ b }}', '{{ c }}'], ['{{ d }}']]);
});

test('a large value is written only as far as it is shown', () => {
  expect(shortJson({ a: [1, 'x', null], b: {} })).toBe('{"a": [1, "x", null], "b": {}}');
  expect(shortJson(Array.from({ length: 100_000 }, () => 'x'.repeat(100)))).toHaveLength(301);
});
