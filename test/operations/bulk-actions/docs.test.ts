import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { finishRuns } from '#src/automation/runs/run-finishing.service.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { makeRun, makeWorkflow, moveRun } from '#test/setup/runs.ts';
import { execute } from './bulk-action-calls.ts';

const page = await readFile(new URL('../../../docs/operations-at-scale.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```(\S+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(([, language, role, text = '']) => ({
  language,
  role,
  text,
}));

async function failOrders({ deps, database, services }: TestApp, workflowId: number): Promise<void> {
  for (const message of ['Order 17 is unknown.', 'Order 18 is unknown.']) {
    const runId = await makeRun(deps, 'acme-shop', workflowId);
    const failure = { node: 'core:fail', code: 'FAILED', message };
    const run = { tenantId: 'acme-shop', runId, result: null, failure };
    await database.withSystem((tx) =>
      finishRuns(tx, services.automation, null, [{ ...run, status: 'failed', error: `find: ${message}` }]),
    );
  }
}

test('the page shows what its documents are answered, in their order', async ({ api }) => {
  const workflowId = await makeWorkflow(api.deps, 'acme-shop', 'Orders to ERP');
  for (const error of ['The ERP is away.', 'The ERP is away.', 'No stock.'])
    await moveRun(api.deps, 'acme-shop', await makeRun(api.deps, 'acme-shop', workflowId), 'failed', { error });
  let shown = 0;
  for (const [index, { language, text }] of blocks.entries()) {
    if (language !== 'graphql') continue;
    const [variables, answer] = [1, 2].map((after) => JSON.parse(blocks[index + after]?.text ?? '') as object);
    if (text.startsWith('query ($id: ID!) {\n  bulkAction(')) {
      await moveRun(api.deps, 'acme-shop', 2, 'cancelled');
      await execute(api, 'QnVsa0FjdGlvbjox');
    }
    if (text.includes('errorGroups(')) await failOrders(api, workflowId);
    expect(await api.graphql(text, variables)).toEqual(answer);
    shown += 1;
  }
  expect(shown).toBe(4);
});
