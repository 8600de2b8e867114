import type { Browser, Page } from 'playwright-core';
import { describe, expect, vi } from 'vitest';
import { createPriceList } from '#src/commerce/prices/price-lists.service.ts';
import { upsertPrice } from '#src/commerce/prices/prices.service.ts';
import { createProduct } from '#src/commerce/products/products.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { test } from '#test/setup/app-test.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { startTestConsole, type TestConsole } from '#test/setup/console.ts';
import { openPage, tabTo } from './signed-in.ts';

let running: TestConsole;
let browser: Browser;

test.beforeAll(async ({ database }) => {
  if (browserIsMissing) return;
  [running, browser] = await Promise.all([startTestConsole(database.url), launchBrowser()]);
  const { deps } = running.api;
  const actor = systemActor('acme', 'acme-shop');
  await createProduct(deps, actor, { sku: 'MUG-1', name: 'Mug, blue' });
  const lists = [
    { code: 'SUMMER', priority: 50, validUntil: new Date('2020-01-01T00:00:00Z') },
    { code: 'VIP', priority: 40, customer: 'C-1' },
    { code: 'BIG', priority: 30 },
    { code: 'BASE', priority: 10 },
    { code: 'OLD', priority: 0 },
  ];
  for (const list of lists) await createPriceList(deps, actor, { name: `List ${list.code}`, currency: 'EUR', ...list });
  const prices: [string, string, string][] = [
    ['SUMMER', '1', '7.77'],
    ['VIP', '1', '6.00'],
    ['BIG', '50', '8.40'],
    ['BASE', '1', '10.00'],
    ['BASE', '10', '9.5005'],
    ['BASE', '100', '8.00'],
    ['OLD', '1', '11.00'],
  ];
  for (const [list, quantityFrom, amount] of prices)
    await upsertPrice(deps, actor, { list, sku: 'MUG-1', quantityFrom, amount });
}, 240_000);

test.afterAll(async () => {
  await browser?.close();
  await running?.close();
});

/** The chain of lists as it is read, one text a list. */
async function readChain(page: Page): Promise<string[]> {
  const chain = page.getByRole('list', { name: 'The price lists in the order in which they are asked' });
  await chain.waitFor();
  return (await chain.locator(':scope > li').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
}

const expected = [
  expect.stringMatching(/^SUMMER .* The list ended at 1 Jan 2020/),
  expect.stringMatching(/^VIP .* It is for the customer C-1, and none was given\./),
  expect.stringMatching(/^BIG .* Its prices begin at a quantity of 50\./),
  expect.stringMatching(/^BASE .* Applies .* from 1 €10.00 from 10 €9.5005 from 100 €8.00$/),
  expect.stringMatching(/^OLD .* It has €11.00, and BASE comes before it\./),
];

describe.skipIf(browserIsMissing)(`Explain a price${skippedSuffix}`, { timeout: 240_000 }, () => {
  test('with the mouse: what it costs, and why each list applies or not; the address says it to a colleague', async () => {
    const page = await openPage(browser, running, 'prices');
    await page.waitForLoadState('networkidle');
    await page.getByRole('combobox', { name: 'Article' }).pressSequentially('mug');
    await page.getByRole('option', { name: 'MUG-1' }).click();
    await page.getByLabel('Quantity').fill('12');
    await page.getByRole('button', { name: 'Explain the price' }).click();
    await page.getByText('€9.5005 each').waitFor();
    expect(await readChain(page)).toEqual(expected);
    const colleague = await page.context().newPage();
    await colleague.goto(page.url());
    await colleague.getByText('From 100: €8.00.').waitFor();
    expect(await readChain(colleague)).toEqual(expected);
    await page.context().close();
  });

  test('suggests no article of an earlier search while the next is under way', async () => {
    const page = await openPage(browser, running, 'prices');
    await page.waitForLoadState('networkidle');
    const article = page.getByRole('combobox', { name: 'Article' });
    const mug = page.getByRole('option', { name: 'MUG-1' });
    // A search that fails is made again with the next letter.
    const type = async () => {
      await article.fill('');
      await article.pressSequentially('mu');
      await mug.waitFor({ timeout: 10_000 });
    };
    await vi.waitFor(type, { timeout: 60_000 });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      await released;
      await route.continue();
    });
    await article.pressSequentially('x');
    await page.getByText('Searching …').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await article.inputValue()).toBe('mux');
    release();
    await page.context().close();
  });

  test('by keyboard alone, for a customer', async () => {
    const page = await openPage(browser, running, 'prices');
    const { keyboard } = page;
    await tabTo(page, page.getByRole('combobox', { name: 'Article' }));
    await keyboard.type('mug');
    await page.getByRole('option', { name: 'MUG-1' }).waitFor();
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await tabTo(page, page.getByRole('combobox', { name: 'Customer' }));
    await keyboard.type('C-1');
    // There is no such customer yet: the field says so, and takes the number as it is typed.
    await page.getByText('No match').waitFor();
    await keyboard.press('Tab');
    await tabTo(page, page.getByRole('button', { name: 'Explain the price' }));
    await keyboard.press('Enter');
    await page.getByText('€6.00 each').waitFor();
    const chain = await readChain(page);
    expect(chain[1]).toMatch(/^VIP .* Applies It is the first of the lists in this order/);
    expect(chain[3]).toMatch(/^BASE .* It has €10.00, and VIP comes before it\./);
    await page.context().close();
  });
});
