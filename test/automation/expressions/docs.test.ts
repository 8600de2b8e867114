import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { compileTemplate } from '#src/automation/expressions/template.ts';

const page = await readFile(new URL('../../../docs/expressions.md', import.meta.url), 'utf8');
const [, payload = ''] = /^```json payload\n([^]*?)^```$/m.exec(page) ?? [];
const recipes = [...page.matchAll(/^\| ([^`|]+) \| `(.+)` \| `(.+)` \|$/gm)].map(([, to, source, yields]) => ({
  to,
  source,
  yields,
}));

test('the page has recipes for dates, rounding and grouping', () => {
  expect(recipes.map(({ to }) => to)).toEqual(
    expect.arrayContaining(['read a date', 'round to 5 cents', 'group and total']),
  );
});

test.each(recipes)('the recipe of the page to $to yields $yields', async ({ source = '', yields = '' }) => {
  const found = await compileTemplate(`{{ ${source} }}`).evaluate({
    trigger: { payload: JSON.parse(payload) as unknown, type: 'manual', handle: null },
    nodes: {},
    run: { id: 1, started_at: '2026-01-01T00:00:00.000Z' },
    secrets: () => undefined,
  });
  expect(found).toEqual(JSON.parse(yields));
});
