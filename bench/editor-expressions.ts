/**
 * An expression of a form in the workflow editor, beside a step whose outputs are large: how soon a key is drawn, and its value shown.
 * `node bench/editor-expressions.ts [megabytes] [keys]`
 */
import pg from 'pg';
import type { Page } from 'playwright-core';
import { declarations } from '#src/domains/domains.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { addWorkflows, benchOrg, chainNodes } from './lib/bench-workflow.ts';
import { withConsole } from './lib/console-browser.ts';
import { noteFrames, noteTexts } from './lib/editor-watch.ts';
import { printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';
import { significant, summarise } from './lib/stats.ts';

const [megabytes = 2, keys = 60] = process.argv.slice(2).map(Number);
const tenant = 'tenant-0';
const rows = 10;

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('editor_expressions');
  await migrate(databaseUrl, declarations.jobs);
  const [made] = await addWorkflows(databaseUrl, {
    name: 'Expressions',
    blob: chainNodes(['read', 'write'], 'core:set', { values: '{{ {"total": 0} }}' }),
    tenants: 1,
  });
  if (!made) throw new Error('The workflow was not made.');
  await withConsole({ databaseUrl, org: benchOrg }, async ({ product, url, openWindow }) => {
    const headers = await product.headersFor(tenant, benchOrg);
    const address = `http://localhost:${product.port}/api/v1/webhooks/${made.handle}`;
    const response = await fetch(address, { method: 'POST', headers, body: '{"number":"SO-1"}' });
    const { run_id: run } = (await response.json()) as { run_id: number };
    await enlargeOutputs(databaseUrl, run);
    const page = await (await openWindow()).newPage();
    await page.goto(`${url}t/${tenant}/editor/${btoa(`Workflow:${made.workflowId}`).replaceAll('=', '')}?node=write`);
    await page.getByRole('treeitem', { name: /rows/ }).first().waitFor({ timeout: 60_000 });
    await measure(page);
  });
});

/** Waits for the run and gives its first step outputs of the size that is measured. */
async function enlargeOutputs(databaseUrl: string, run: number): Promise<void> {
  const row = { article: 'CHAIR-01', qty: 2, price: '129.00', text: 'A chair of oak, oiled.' };
  const rows = Array.from({ length: Math.round((megabytes * 1_000_000) / JSON.stringify(row).length) }, () => row);
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    for (let tries = 0; ; tries += 1) {
      const { rows: runs } = await database.query('SELECT FROM runs WHERE id = $1 AND status = $2', [run, 'succeeded']);
      if (runs.length > 0) break;
      if (tries === 200) throw new Error(`Run ${run} has not succeeded within 20 s.`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await database.query(`UPDATE steps SET outputs = $3 WHERE tenant_id = $1 AND run_id = $2 AND node_id = 'read'`, [
      tenant,
      run,
      JSON.stringify({ total: 41, rows }),
    ]);
  } finally {
    await database.end();
  }
}

async function measure(page: Page): Promise<void> {
  const field = page.locator('[data-field="values"]').getByRole('textbox');
  await field.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('{{ {"total": nodes.read.outputs.total + 1');
  // What follows the cursor, so that each key that is measured leaves an expression that is whole.
  await page.keyboard.type('} }}');
  for (let n = 0; n < 4; n += 1) await page.keyboard.press('ArrowLeft');
  await page.waitForTimeout(2_000);
  const frames = await noteFrames(page, 'keydown');
  const texts = await noteTexts(page, '[data-field="values"] output');
  const values: number[] = [];
  const drawn: number[] = [];
  for (let row = 0; row < rows; row += 1) {
    // Each row begins with another digit, so that no expression is written twice: the editor keeps what it has evaluated.
    let number = '1';
    for (let key = 0; key < keys / rows; key += 1) {
      number += String(row);
      const began = Date.now();
      await page.keyboard.press(String(row));
      values.push((await shownAt(texts, 41 + Number(number))) - began);
    }
    drawn.push(...(await frames()));
    for (let key = 0; key < keys / rows; key += 1) await page.keyboard.press('Backspace');
    await shownAt(texts, 42);
    await frames();
  }
  print('editor-expression-key', drawn, 50, 'ms p95 from the key to its frame');
  print('editor-expression-value', values, 250, 'ms p95 from the key to the value');
}

/** Waits until the field shows a total. Returns the time of day in milliseconds at which it did. */
async function shownAt(texts: () => Promise<{ text: string; at: number }[]>, total: number): Promise<number> {
  for (let tries = 0; tries < 300; tries += 1) {
    const shown = (await texts()).find(({ text }) => new RegExp(`\\b${total}\\b`).test(text));
    if (shown) return shown.at;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`The field has not shown ${total} within 6 s.`);
}

function print(figure: string, times: readonly number[], atMost: number, unit: string): void {
  const { p50, p95, max } = summarise(times);
  printFigure({
    figure,
    value: p95,
    unit,
    reach: { of: 'value', atMost },
    detail: { megabytes, keys: times.length, p50: significant(p50), max: significant(max) },
  });
}
