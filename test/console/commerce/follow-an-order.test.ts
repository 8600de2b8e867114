import type { Browser } from 'playwright-core';
import { describe, expect } from 'vitest';
import { createShop } from '#test/commerce/shop.ts';
import { test } from '#test/setup/app-test.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { startTestConsole, type TestConsole } from '#test/setup/console.ts';
import { openPage, tabTo } from './signed-in.ts';

let running: TestConsole;
let browser: Browser;
let shop: ReturnType<typeof createShop>;

test.beforeAll(async ({ database }) => {
  if (browserIsMissing) return;
  [running, browser] = await Promise.all([startTestConsole(database.url), launchBrowser()]);
  shop = createShop(running.api);
  await shop.stocked('MUG', '100');
}, 240_000);

test.afterAll(async () => {
  await browser?.close();
  await running?.close();
});

/** The shop places an order. */
const place = async () =>
  (await shop.place({ positions: [{ sku: 'MUG', quantity: '3', unitPrice: '10.335' }] })).order as unknown as {
    databaseId: number;
    number: string;
  };

const suite = `Follow an order from shop to ERP${skippedSuffix}`;
describe.skipIf(browserIsMissing)(suite, { timeout: 240_000 }, () => {
  test('with the mouse: it appears, the ERP acknowledges it on the open page, and a shipment is recorded', async () => {
    const page = await openPage(browser, running, 'orders');
    await page.getByText('Live', { exact: true }).waitFor();
    const { number, databaseId } = await place();
    await page.getByRole('link', { name: number }).click();
    await page.getByRole('heading', { name: `Order ${number}` }).waitFor();
    await page.getByText('Nothing has sent this order to an ERP.').waitFor();
    await page.getByText('€36.90').first().waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect((await shop.act(databaseId, 'acknowledge', { erp_number: 'A-100' })).status).toBe(200);
    await page.getByText('A-100', { exact: true }).first().waitFor();
    expect(await page.getByText('Nothing has sent this order to an ERP.').count()).toBe(0);
    await page.getByRole('button', { name: 'Record a shipment' }).click();
    await page.getByLabel('Reference').fill('PARCEL-1');
    await page.getByLabel('Quantity').fill('2');
    await page.getByRole('complementary').getByRole('button', { name: 'Record a shipment' }).click();
    await page.getByText('2 × MUG').waitFor();
    await page.getByText('Partially fulfilled').first().waitFor();
    const story = page.getByRole('region', { name: 'From shop to ERP' });
    expect(await story.getByRole('row').allInnerTexts()).toEqual([
      expect.stringContaining('When'),
      expect.stringContaining('Created'),
      expect.stringMatching(/Acknowledged[\s\S]*erp number: A-100/),
      expect.stringMatching(/Shipped[\s\S]*reference: PARCEL-1/),
    ]);
    await page.context().close();
  });

  test('by keyboard alone', async () => {
    const { number, databaseId } = await place();
    expect((await shop.act(databaseId, 'acknowledge', { erp_number: 'A-101' })).status).toBe(200);
    const page = await openPage(browser, running, 'orders');
    const { keyboard } = page;
    await tabTo(page, page.getByRole('link', { name: number }));
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: `Order ${number}` }).waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Record a payment' }));
    await keyboard.press('Enter');
    await tabTo(page, page.getByLabel('Reference'));
    await keyboard.type('PAY-1');
    await keyboard.press('Enter');
    await page.getByText('Paid', { exact: true }).first().waitFor();
    const payments = page.getByRole('region', { name: 'Payments' });
    expect(await payments.getByRole('row').allInnerTexts()).toEqual([
      expect.stringContaining('Amount'),
      expect.stringMatching(/Captured[\s\S]*€36.90[\s\S]*PAY-1/),
    ]);
    await page.context().close();
  });
});
