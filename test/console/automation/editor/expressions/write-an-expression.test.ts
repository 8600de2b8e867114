import type { Browser, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { openPage } from '#test/console/commerce/signed-in.ts';
import { test } from '#test/setup/app-test.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { startTestConsole, type TestConsole } from '#test/setup/console.ts';
import { chain, fireRun, node, readyWorkflow, startTestEngine, untilRun } from '#test/setup/engine.ts';
import type { Engine } from '#workers/engine/engine.ts';

let running: TestConsole;
let browser: Browser;
let engine: Engine;
let workflowId: number;

const nodes = [
  node('read-order', 'set', { values: { total: '{{ trigger.payload.total }}', note: '{{ trigger.payload.note }}' } }),
  node('respond', 'respond', { value: 'Thanks' }),
];
const markup = '<img src=x onerror="document.title=1">';
const rows = Array.from({ length: 60_000 }, (_, index) => ({
  sku: `MUG-${index}`,
  price: '19.90',
  note: 'x'.repeat(50),
}));

test.beforeAll(async ({ database }) => {
  if (browserIsMissing) return;
  [running, browser] = await Promise.all([startTestConsole(database.url), launchBrowser()]);
  engine = await startTestEngine(running.api);
  const made = await readyWorkflow(running.api, { nodes, edges: chain('read-order', 'respond') });
  workflowId = made.workflowId;
  const large = await fireRun(running.api, made, { total: 42, note: markup, rows });
  await untilRun(running.api, large, 'succeeded');
}, 240_000);

test.afterEach(async () => {
  for (const context of browser?.contexts() ?? []) await context.close();
});

test.afterAll(async () => {
  await browser?.close();
  await engine?.stop();
  await running?.close();
});

const timeout = 180_000;
/** An evaluation reads a run of megabytes: on a busy machine that takes a while. */
const patience = { timeout: 60_000 };
const globalId = (type: string, id: number) => btoa(`${type}:${id}`).replaceAll('=', '');

/** The form of the last node, with what the browser refused to do on the page. */
async function openForm(search = ''): Promise<{ page: Page; refused: string[] }> {
  const page = await openPage(browser, running, `editor/${globalId('Workflow', workflowId)}?node=respond${search}`);
  const refused: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) refused.push(message.text());
  });
  page.on('pageerror', (error) => refused.push(String(error)));
  await page.getByRole('treeitem', { name: /total/ }).first().waitFor();
  return { page, refused };
}

const field = (page: Page) => page.getByRole('textbox', { name: /^Value/ });
const value = (page: Page) => page.locator('[data-field="value"] output');

describe('an expression of a field', () => {
  test.skipIf(browserIsMissing)(`shows what is wrong with it, and where${skippedSuffix}`, { timeout }, async () => {
    const { page } = await openForm();
    await field(page).fill('Order {{ 1 + * nodes }}');
    await page.locator('[data-field="value"] .field-error').first().waitFor();
    await page.locator('.expression-fault').waitFor();
    expect(await field(page).getAttribute('aria-invalid')).toBe('true');
    await field(page).fill('Order {{ 1 + 1 }}');
    await expect.poll(() => value(page).textContent(), patience).toBe('"Order 2"');
    await page.locator('.expression-fault').waitFor({ state: 'detached' });
  });

  test.skipIf(browserIsMissing)(`shows markup in data as text${skippedSuffix}`, { timeout }, async () => {
    const { page, refused } = await openForm();
    await field(page).fill('{{ nodes.read-order.outputs.note }}');
    await expect.poll(() => value(page).textContent(), patience).toContain('<img src=x');
    await page
      .getByRole('treeitem', { name: /note: "<img/ })
      .first()
      .waitFor();
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(await page.title()).not.toBe('1');
    expect(refused).toEqual([]);
  });
});

describe('the data beside the form', () => {
  test.skipIf(browserIsMissing)(`is inserted by dragging${skippedSuffix}`, { timeout }, async () => {
    const { page } = await openForm();
    await field(page).fill('');
    await page
      .getByRole('treeitem', { name: /^total/ })
      .first()
      .dragTo(page.locator('[data-field="value"]'));
    await expect.poll(() => field(page).textContent(), patience).toBe('{{ trigger.payload.total }}');
    await expect.poll(() => value(page).textContent(), patience).toBe('42');
  });

  test.skipIf(browserIsMissing)(`of megabytes leaves the page responsive${skippedSuffix}`, { timeout }, async () => {
    const { page } = await openForm();
    await field(page).fill('{{ trigger.payload }}');
    await expect.poll(() => value(page).textContent(), patience).toContain('MUG-0');
    await page.getByText('Long lists and texts are cut.').waitFor();
    await field(page).fill('{{ $count(trigger.payload.rows) }}');
    await expect.poll(() => value(page).textContent(), patience).toBe('60000');
    expect(await page.getByRole('treeitem').count()).toBeLessThan(100);
  });
});
