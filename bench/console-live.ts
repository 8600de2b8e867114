/**
 * How soon the console shows what happens: a firing as a row of the run list, the end of a step as the colour of its node, and 2 MB of outputs.
 * `node bench/console-live.ts [firings] [steps] [megabytes] [rounds]`
 */
import pg from 'pg';
import type { Page } from 'playwright-core';
import { declarations } from '#src/domains/domains.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { addWorkflows, benchOrg, chainNodes } from './lib/bench-workflow.ts';
import { type ConsoleBrowser, withConsole } from './lib/console-browser.ts';
import { printFigure } from './lib/figure.ts';
import { noteAppearances } from './lib/frame-watch.ts';
import { keyTimes, showStep } from './lib/output-watch.ts';
import { withPostgres } from './lib/postgres.ts';
import { significant, summarise } from './lib/stats.ts';

const [firings = 60, steps = 30, megabytes = 2, rounds = 5] = process.argv.slice(2).map(Number);
const tenant = 'tenant-0';
const stepMs = 400;
const ids = Array.from({ length: steps }, (_, index) => `step-${index + 1}`);

interface Bench extends ConsoleBrowser {
  database: pg.Client;
  /** Fires a webhook; returns the id of its run. */
  fire: (handle: string) => Promise<number>;
}

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('console_live');
  await migrate(databaseUrl, declarations.jobs);
  const [short] = await addWorkflows(databaseUrl, {
    name: 'Short',
    blob: chainNodes(['only'], 'core:set', { values: { ok: true } }),
    tenants: 1,
  });
  const [long] = await addWorkflows(databaseUrl, {
    name: 'Long',
    blob: chainNodes(ids, 'core:wait', { duration_ms: stepMs }),
    tenants: 1,
  });
  if (!short || !long) throw new Error('The workflows were not made.');
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    await withConsole({ databaseUrl, org: benchOrg }, async (opened) => {
      const headers = await opened.product.headersFor(tenant, benchOrg);
      const fire = async (handle: string): Promise<number> => {
        const address = `http://localhost:${opened.product.port}/api/v1/webhooks/${handle}`;
        const response = await fetch(address, { method: 'POST', headers, body: '{"number":"SO-1"}' });
        return ((await response.json()) as { run_id: number }).run_id;
      };
      const bench = { ...opened, database, fire };
      await measureRows(bench, short.handle);
      const run = await measureNodes(bench, long.handle);
      await measureOutputs(bench, run);
    });
  } finally {
    await database.end();
  }
});

async function measureRows({ url, openWindow, fire }: Bench, handle: string): Promise<void> {
  await fire(handle);
  const window = await openWindow();
  const page = await window.newPage();
  await page.goto(`${url}t/${tenant}/runs`);
  await page.locator('.list-body').first().waitFor({ timeout: 60_000 });
  await page.getByText('Live', { exact: true }).waitFor();
  const appearances = await noteAppearances(page, '.list-body a');
  const sent = new Map<string, number>();
  for (let n = 0; n < firings; n += 1) {
    const began = Date.now();
    sent.set(String(await fire(handle)), began);
    await page.waitForTimeout(250);
  }
  await page.waitForTimeout(2_000);
  const shown = await appearances();
  const waits = [...sent].map(([run, began]) => (shown[run] ?? Infinity) - began);
  print('console-firing-to-row', waits, { firings });
  await window.close();
}

/** Returns the id of the run that was watched. */
async function measureNodes({ url, openWindow, fire, database }: Bench, handle: string): Promise<number> {
  const window = await openWindow();
  const page = await window.newPage();
  const run = await fire(handle);
  await openRun(page, url, run);
  await page.locator('.flow-node.tone-succeeded').first().waitFor({ timeout: 60_000 });
  const appearances = await noteAppearances(page, '.flow-node.tone-succeeded .flow-name');
  const watched = Date.now();
  await page.locator('.page-title').getByText('Succeeded').waitFor({ timeout: 120_000 });
  await page.waitForTimeout(2_000);
  const shown = await appearances();
  const { rows } = await database.query<{ node_id: string; ended: number }>(
    `SELECT node_id, (extract(epoch FROM completed_at) * 1000)::float8 AS ended FROM steps WHERE tenant_id = $1 AND run_id = $2`,
    [tenant, run],
  );
  const seen = rows.filter(({ ended }) => ended > watched);
  const waits = seen.map(({ node_id: node, ended }) => (shown[node] ?? Infinity) - ended);
  print('console-step-to-node', waits, { steps: seen.length, stepMs });
  await window.close();
  return run;
}

async function measureOutputs({ url, openWindow, database }: Bench, run: number): Promise<void> {
  const item = { article: 'CHAIR-01', qty: 2, price: '129.00', text: 'A chair of oak, oiled.' };
  const items = Array.from({ length: (megabytes * 1_000_000) / JSON.stringify(item).length }, (_, index) => ({
    ...item,
    qty: index,
  }));
  await database.query(`UPDATE steps SET outputs = $3 WHERE tenant_id = $1 AND run_id = $2 AND node_id = 'step-1'`, [
    tenant,
    run,
    JSON.stringify({ items }),
  ]);
  const shown: number[] = [];
  const keys: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const window = await openWindow();
    const page = await window.newPage();
    await openRun(page, url, run);
    shown.push(await showStep(page, 'step-1'));
    keys.push(...(await keyTimes(page, 'chair 01')));
    await window.close();
  }
  const detail = { megabytes, rounds, ms: shown.map((ms) => Math.round(ms)) };
  printFigure({
    figure: 'console-outputs',
    value: Math.min(...shown),
    unit: 'ms',
    reach: { of: 'value', atMost: 200 },
    detail,
  });
  const { p50, p95, max } = summarise(keys);
  printFigure({
    figure: 'console-key-beside-outputs',
    value: p95,
    unit: 'ms p95 from the key to its frame',
    reach: { of: 'value', atMost: 50 },
    detail: { p50: significant(p50), max: significant(max), keys: keys.length },
  });
}

async function openRun(page: Page, url: string, run: number): Promise<void> {
  const list = page.locator('.list-body a', { hasText: new RegExp(`^${run}$`) });
  await page.goto(`${url}t/${tenant}/runs`);
  await list.click({ timeout: 60_000 });
  await page.locator('.timeline-step').first().waitFor({ timeout: 60_000 });
}

function print(figure: string, waits: readonly number[], detail: Record<string, unknown>): void {
  const { p50, p95, max } = summarise(waits);
  printFigure({
    figure,
    value: p95,
    unit: 'ms p95',
    reach: { of: 'value', atMost: 250 },
    detail: { ...detail, p50: significant(p50), max: significant(max) },
  });
}
