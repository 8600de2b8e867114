/**
 * Expressions in the workflow editor, beside a run with megabytes of outputs: the tree of the data, a key, its completion, and its value.
 * `node bench/editor-expressions.ts [megabytes] [keys]`
 */
import pg from 'pg';
import type { Page } from 'playwright-core';
import { workflowBlobSchema } from '#src/automation/blob/blob.inputs.ts';
import { declarations } from '#src/domains/domains.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { addWorkflows, benchOrg } from './lib/bench-workflow.ts';
import { withConsole } from './lib/console-browser.ts';
import { watchAfterKeys } from './lib/expression-watch.ts';
import { printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';
import { significant, summarise } from './lib/stats.ts';

const [megabytes = 2, keys = 40] = process.argv.slice(2).map(Number);
const tenant = 'tenant-0';
const item = { article: 'CHAIR-01', qty: 2, price: '129.00', text: 'A chair of oak, oiled.' };
const items = Math.round((megabytes * 1_000_000) / JSON.stringify(item).length);

const blob = workflowBlobSchema.parse({
  version: 'v1',
  nodes: [
    { id: 'read', node: 'core:set', version: '1.0.0', config: { values: { ok: true } } },
    { id: 'answer', node: 'core:respond', version: '1.0.0', config: { value: '{{ trigger.type }}' } },
  ],
  edges: [{ from: { node: 'read' }, to: 'answer' }],
});

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('editor_expressions');
  await migrate(databaseUrl, declarations.jobs);
  const [made] = await addWorkflows(databaseUrl, { name: 'Mapped', blob, tenants: 1 });
  if (!made) throw new Error('The workflow was not made.');
  await withConsole({ databaseUrl, org: benchOrg }, async ({ product, url, openWindow }) => {
    const headers = await product.headersFor(tenant, benchOrg);
    const webhook = `http://localhost:${product.port}/api/v1/webhooks/${made.handle}`;
    await fetch(webhook, { method: 'POST', headers, body: '{"number":"SO-1"}' });
    await fillOutputs(databaseUrl);
    const window = await openWindow();
    const page = await window.newPage();
    const id = btoa(`Workflow:${made.workflowId}`).replaceAll('=', '');
    await page.goto(`${url}t/${tenant}/editor/${id}`);
    await measureTree(page);
    await measureCompletion(page);
    await measureValues(page);
    await window.close();
  });
});

/** Waits for the run to end, and gives its first step the megabytes. */
async function fillOutputs(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (let tries = 0; tries < 600; tries += 1) {
      const { rowCount } = await client.query(`SELECT FROM runs WHERE tenant_id = $1 AND status = 'succeeded'`, [
        tenant,
      ]);
      if (rowCount) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const outputs = JSON.stringify({ items: Array.from({ length: items }, (_, qty) => ({ ...item, qty })) });
    await client.query(`UPDATE steps SET outputs = $2 WHERE tenant_id = $1 AND node_id = 'read'`, [tenant, outputs]);
  } finally {
    await client.end();
  }
}

function print(figure: string, times: readonly number[], atMost: number, unit: string): void {
  const { p50, p95, max } = summarise(times);
  printFigure({
    figure,
    value: p95,
    unit,
    reach: { of: 'value', atMost },
    detail: { megabytes, times: times.length, p50: significant(p50, 3), max: significant(max, 3) },
  });
}

const field = (page: Page) => page.getByRole('textbox', { name: /^Value/ });

async function measureTree(page: Page): Promise<void> {
  const canvas = page.getByRole('group', { name: 'Graph of the workflow' });
  await canvas.locator('[data-path="answer"]').click({ timeout: 60_000 });
  await canvas.focus();
  const { press } = await watchAfterKeys(page);
  const times: number[] = [];
  for (let n = 0; n < 10; n += 1) {
    times.push((await press('Enter', '[role=treeitem]', 'CHAIR-01')).shown);
    await page.getByRole('complementary').getByRole('button', { name: 'Close' }).click();
    await canvas.focus();
  }
  print('editor-data-tree', times, 1_000, 'ms p95 from Enter on a node to the tree of its data');
  await page.keyboard.press('Enter');
  await field(page).waitFor();
}

async function measureCompletion(page: Page): Promise<void> {
  const { press } = await watchAfterKeys(page);
  const times: number[] = [];
  for (let n = 0; n < 10; n += 1) {
    await field(page).fill('');
    await page.keyboard.type('{{ ');
    await page.waitForTimeout(500);
    times.push((await press('n', '.cm-tooltip-autocomplete [role=option]', 'nodes')).shown);
    await page.keyboard.press('Escape');
  }
  print('editor-completion', times, 250, 'ms p95 from the key to the list of completions');
}

/** Writes numbers at the end of an expression that reads all of the data; each has a value of its own. */
async function measureValues(page: Page): Promise<void> {
  await field(page).fill(`{{ $count(nodes.read.outputs.items) + 1 }}`);
  await page.keyboard.press('Control+End');
  for (let n = 0; n < 3; n += 1) await page.keyboard.press('ArrowLeft');
  const { press } = await watchAfterKeys(page);
  const frames: number[] = [];
  const values: number[] = [];
  let number = '1';
  for (let n = 0; n < keys; n += 1) {
    const digit = String((n * 7 + 3) % 10);
    number += digit;
    const { frame, shown } = await press(digit, '[data-field="value"] output', String(items + Number(number)));
    frames.push(frame);
    values.push(shown);
    // Shorter again after eight digits; they begin with another digit each time.
    if (number.length < 8) continue;
    for (const _ of number) await page.keyboard.press('Backspace');
    number = String((n % 9) + 1);
    await page.keyboard.press(number);
    await page.waitForTimeout(500);
  }
  print('editor-expression-key', frames, 50, 'ms p95 from the key to the end of its frame');
  print('editor-expression-value', values, 250, 'ms p95 from the key to the frame with its value');
}
