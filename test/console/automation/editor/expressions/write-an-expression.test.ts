import type { Browser, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { openPage, tabTo } from '#test/console/commerce/signed-in.ts';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { test as base } from '#test/setup/console-test.ts';
import type { TestConsole } from '#test/setup/console.ts';
import { chain, fireRun, node, readyWorkflow, untilRun } from '#test/setup/engine.ts';

const nodes = [
  node('read-order', 'set', { values: { total: '{{ trigger.payload.total }}', note: '{{ trigger.payload.note }}' } }),
  node('each', 'for-each', {
    items: '{{ trigger.payload.few }}',
    body: { nodes: [node('name', 'set', { values: { sku: '{{ item.sku }}' } })], edges: [] },
  }),
  node('read', 'parse', { format: 'csv', text: 'a,a' }, { on_error: 'continue' }),
  node('respond', 'respond', { value: 'Thanks' }),
];
const markup = '<img src=x onerror="document.title=1">';
const rows = Array.from({ length: 20_000 }, (_, index) => ({
  sku: `MUG-${index}`,
  price: '19.90',
  note: 'x'.repeat(50),
}));

const test = base.extend('runs', { scope: 'file' }, async ({ served, startServedEngine }) => {
  await startServedEngine();
  const made = await readyWorkflow(served.api, { nodes, edges: chain('read-order', 'each', 'read', 'respond') });
  const few = [{ sku: 'PEN-1' }, { sku: 'PEN-2' }];
  const first = await fireRun(served.api, made, { total: 41, note: markup, few });
  const large = await fireRun(served.api, made, { total: 42, note: markup, few, rows });
  await untilRun(served.api, first, 'succeeded');
  await untilRun(served.api, large, 'succeeded');
  return { workflowId: made.workflowId, first };
});

test.afterEach(async ({ browser }) => {
  for (const context of browser.contexts()) await context.close();
});

const timeout = 180_000;
/** An evaluation reads a run of megabytes: on a busy machine that takes a while. */
const patience = { timeout: 60_000 };
const globalId = (type: string, id: number) => btoa(`${type}:${id}`).replaceAll('=', '');

interface Started {
  served: TestConsole;
  browser: Browser;
  runs: { workflowId: number };
}

/** The form of a node, with what the browser refused to do on the page. */
async function openForm(
  { served, browser, runs }: Started,
  at = 'respond',
): Promise<{ page: Page; refused: string[] }> {
  const address = `editor/${globalId('Workflow', runs.workflowId)}?node=${encodeURIComponent(at)}`;
  const page = await openPage(browser, served, address);
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

/** Takes the offered option. CodeMirror ignores keys for 75 ms after a list has opened, so that nobody takes what they have not seen. */
async function accept(page: Page): Promise<void> {
  await page.waitForTimeout(500);
  await page.keyboard.press('Enter');
}

describe('an expression of a field', () => {
  test.skipIf(browserIsMissing)(
    `is written by keyboard alone${skippedSuffix}`,
    { timeout },
    async ({ served, browser, runs }) => {
      const { page, refused } = await openForm({ served, browser, runs });
      await tabTo(page, page.getByRole('switch', { name: 'Expression for Value' }));
      await page.keyboard.press('Space');
      await tabTo(page, field(page));
      await page.keyboard.press('Control+a');
      await page.keyboard.type('{{ $decimalRo');
      await page.getByRole('option', { name: /decimalRound/ }).waitFor();
      await accept(page);
      await page.keyboard.type('read');
      await page.getByRole('option', { name: /^nodes\.read-order\.outputs\.total/ }).waitFor();
      await page.keyboard.type('-order.outputs.tot');
      await accept(page);
      await page.keyboard.type(', 2');
      await expect
        .poll(() => field(page).textContent(), patience)
        .toBe('{{ $decimalRound(nodes.read-order.outputs.total, 2)}}');
      await expect.poll(() => value(page).textContent(), patience).toBe('"42.00"');
      // Heard once, after a pause.
      await page.getByRole('status').filter({ hasText: 'Value: "42.00"' }).waitFor();
      // Escape closes what is offered, and Tab leaves the field.
      await page.keyboard.press('Control+Space');
      await page.getByRole('listbox').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('listbox').waitFor({ state: 'detached' });
      await field(page).waitFor();
      await page.keyboard.press('Tab');
      expect(await field(page).evaluate((element) => element === document.activeElement)).toBe(false);
      expect(refused).toEqual([]);
    },
  );

  test.skipIf(browserIsMissing)(
    `reads the error of a step at the path that the tree and the completion offer${skippedSuffix}`,
    { timeout },
    async ({ served, browser, runs }) => {
      const { page } = await openForm({ served, browser, runs });
      const message = page.getByRole('treeitem', { name: /^message: "The CSV header/ });
      expect(await message.getAttribute('title')).toBe('nodes.read.outputs.error.message');
      await page.getByRole('treeitem', { name: 'read.outputs' }).waitFor();
      await field(page).fill('');
      await field(page).pressSequentially('{{ nodes.read.');
      await page.getByRole('option', { name: /^nodes\.read\.outputs\.error\.message/ }).waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.type('outputs.error.message');
      await expect.poll(() => value(page).textContent(), patience).toBe('"The CSV header names a column twice."');
    },
  );

  test.skipIf(browserIsMissing)(
    `shows what is wrong with it, and where${skippedSuffix}`,
    { timeout },
    async ({ served, browser, runs }) => {
      const { page } = await openForm({ served, browser, runs });
      await field(page).fill('Order {{ 1 + * nodes }}');
      await page.locator('[data-field="value"] .field-error').first().waitFor();
      await page.locator('.expression-fault').waitFor();
      expect(await field(page).getAttribute('aria-invalid')).toBe('true');
      // Once the draft is saved, the server says the same, and it is shown once.
      await page.locator('[data-field="value"] [id$="-problem"]').waitFor();
      await expect.poll(() => page.locator('[data-field="value"] .field-error').count(), patience).toBe(1);
      await field(page).fill('Order {{ 1 + 1 }}');
      await expect.poll(() => value(page).textContent(), patience).toBe('"Order 2"');
      await page.locator('.expression-fault').waitFor({ state: 'detached' });
    },
  );

  test.skipIf(browserIsMissing)(
    `in a loop has the value for its first item, and for the one that is chosen${skippedSuffix}`,
    { timeout },
    async ({ served, browser, runs }) => {
      const { page } = await openForm({ served, browser, runs }, 'each/name');
      const shown = page.locator('[data-field="values"]');
      await expect.poll(() => shown.locator('output').textContent(), patience).toContain('PEN-1');
      await shown.getByText('Of item 1 of each.').waitFor();
      const choice = page.getByRole('spinbutton', { name: 'Item of each', description: 'of 2' });
      await choice.focus();
      await page.keyboard.press('ArrowUp');
      await expect.poll(() => shown.locator('output').textContent(), patience).toContain('PEN-2');
      await shown.getByText('Of item 2 of each.').waitFor();
      await page
        .getByRole('treeitem', { name: /^sku: "PEN-2"/ })
        .first()
        .waitFor();
      // There are two.
      await choice.fill('7');
      expect(await choice.inputValue()).toBe('2');
    },
  );

  test.skipIf(browserIsMissing)(
    `in a cell of a table is completed, shows its value, and is left by Enter${skippedSuffix}`,
    { timeout },
    async ({ served, browser, runs }) => {
      const { page, refused } = await openForm({ served, browser, runs }, 'read-order');
      const values = page.locator('[data-field="values"]');
      await values.getByRole('button', { name: 'As a table' }).click();
      await expect.poll(() => values.locator('[data-field="values.total"] output').textContent(), patience).toBe('42');
      await values.getByRole('button', { name: 'Add a row' }).click();
      // The cursor goes there once the row is drawn.
      await values.locator('textarea[aria-label="Name, row 3"]:focus').waitFor();
      await page.keyboard.type('twice');
      await page.keyboard.press('Tab');
      await page.keyboard.type('{{ 2 * trigger.payload.to');
      await page.getByRole('option', { name: /^trigger\.payload\.total/ }).waitFor();
      await accept(page);
      const twice = values.locator('[data-field="values.twice"]');
      await expect
        .poll(() => twice.getByRole('textbox').textContent(), patience)
        .toBe('{{ 2 * trigger.payload.total}}');
      await expect.poll(() => twice.locator('output').textContent(), patience).toBe('84');
      await page.keyboard.type(' +');
      await twice.locator('.field-error').waitFor();
      await page.keyboard.press('Enter');
      await expect.poll(() => values.getByRole('row').count(), patience).toBe(5);
      expect(refused).toEqual([]);
    },
  );

  test.skipIf(browserIsMissing)(
    `shows markup in data as text${skippedSuffix}`,
    { timeout },
    async ({ served, browser, runs }) => {
      const { page, refused } = await openForm({ served, browser, runs });
      // Emptied first: what replaces a coloured text would be given its colour by an inline style, which the policy refuses.
      await field(page).fill('');
      await field(page).fill('{{ nodes.read-order.outputs.note }}');
      await expect.poll(() => value(page).textContent(), patience).toContain('<img src=x');
      await page
        .getByRole('treeitem', { name: /note: "<img/ })
        .first()
        .waitFor();
      expect(await page.locator('img[src="x"]').count()).toBe(0);
      expect(await page.title()).not.toBe('1');
      expect(refused).toEqual([]);
    },
  );
});

describe('the data beside the form', () => {
  test.skipIf(browserIsMissing)(
    `is inserted by Enter, from a chosen run${skippedSuffix}`,
    { timeout },
    async ({ served, browser, runs }) => {
      const { page } = await openForm({ served, browser, runs });
      await field(page).fill('Thanks');
      await page.getByLabel('Data from').selectOption({ value: btoa(`Run:${runs.first}`) });
      await expect.poll(() => page.url(), patience).toContain(`run=${globalId('Run', runs.first)}`);
      const search = page.getByRole('searchbox', { name: 'Search names and values' });
      await search.fill('outputs.total');
      const found = page.getByRole('treeitem', { name: /^total/ });
      await expect.poll(() => found.allTextContents(), patience).toEqual([expect.stringContaining('41')]);
      await search.press('Tab');
      await page.keyboard.press('End');
      await page.keyboard.press('Enter');
      await expect.poll(() => field(page).textContent(), patience).toBe('Thanks{{ nodes.read-order.outputs.total }}');
      await expect.poll(() => value(page).textContent(), patience).toBe('"Thanks41"');
    },
  );

  test.skipIf(browserIsMissing)(
    `is inserted by dragging${skippedSuffix}`,
    { timeout },
    async ({ served, browser, runs }) => {
      const { page } = await openForm({ served, browser, runs });
      await field(page).fill('');
      await page
        .getByRole('treeitem', { name: /^total/ })
        .first()
        .dragTo(page.locator('[data-field="value"]'));
      await expect.poll(() => field(page).textContent(), patience).toBe('{{ nodes.read-order.outputs.total }}');
      await expect.poll(() => value(page).textContent(), patience).toBe('42');
    },
  );

  test.skipIf(browserIsMissing)(
    `of megabytes leaves the page responsive${skippedSuffix}`,
    { timeout },
    async ({ served, browser, runs }) => {
      const { page } = await openForm({ served, browser, runs });
      await field(page).fill('{{ trigger.payload }}');
      await expect.poll(() => value(page).textContent(), patience).toContain('MUG-0');
      await page.getByText('Long lists and texts are cut.').waitFor();
      await field(page).fill('{{ $count(trigger.payload.rows) }}');
      await expect.poll(() => value(page).textContent(), patience).toBe('20000');
      expect(await page.getByRole('treeitem').count()).toBeLessThan(100);
    },
  );
});
