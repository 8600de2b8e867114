import type { Browser, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { openPage, tabTo } from '#test/console/commerce/signed-in.ts';
import { test } from '#test/setup/app-test.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { startTestConsole, type TestConsole } from '#test/setup/console.ts';
import { complaint, type FailingErp, startFailingErp } from './failing-erp.ts';

let running: TestConsole;
let browser: Browser;

test.beforeAll(async ({ database }) => {
  if (browserIsMissing) return;
  [running, browser] = await Promise.all([startTestConsole(database.url), launchBrowser()]);
}, 240_000);

test.afterAll(async () => {
  await browser?.close();
  await running?.close();
});

/** The number of deliveries that wait, are held and were given up, as the destination's page shows them. */
const backlog = (page: Page) => page.getByRole('region', { name: 'Backlog' }).getByRole('definition');

/** The attempts on the page of a delivery, and what the ERP answered to the last. */
async function expectAttempts(page: Page, statuses: RegExp[], response: string): Promise<void> {
  const rows = page.getByRole('region', { name: 'Attempts', exact: true }).getByRole('row');
  await expect
    .poll(() => rows.allInnerTexts(), { timeout: 30_000 })
    .toEqual([expect.stringContaining('HTTP status'), ...statuses.map((each) => expect.stringMatching(each))]);
  await page.getByText(response, { exact: true }).last().waitFor();
}

const readStatuses = async (erp: FailingErp) => (await erp.deliveries()).map(({ status }) => status);

const suite = `Find a failing webhook, fix its receiver, recover it${skippedSuffix}`;
describe.skipIf(browserIsMissing)(suite, { timeout: 240_000 }, () => {
  test('with the mouse: from the overview to the answers of the receiver, and back to nothing that needs attention', async ({
    onTestFinished,
  }) => {
    const erp = await startFailingErp(running, 'Ledger', 3);
    onTestFinished(() => erp.stop());
    const page = await openPage(browser, running, 'overview');
    await page.getByRole('link', { name: 'Ledger' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor();
    expect(await backlog(page).allInnerTexts()).toEqual(['0', '0', '3']);
    const last = page.getByRole('region', { name: 'Last deliveries' }).first();
    await last.getByText('The receiver answered 500.').nth(2).waitFor();
    await last.getByRole('link').first().click();
    await expectAttempts(page, [/Failed\s.*500/s, /Failed\s.*500/s], complaint);

    const list = await page.context().newPage();
    await list.goto(`${running.url}t/acme-shop/deliveries`);
    await list.getByText('Live', { exact: true }).waitFor();
    const rows = list.getByRole('grid', { name: 'Deliveries' });
    await rows.getByText('Failed').nth(2).waitFor();

    erp.repair();
    await page.getByRole('link', { name: 'Ledger' }).click();
    await page.getByRole('button', { name: 'Recover', exact: true }).click();
    await page.getByRole('complementary').getByRole('button', { name: 'Recover', exact: true }).click();
    await page.getByText('3 deliveries are sent again.').waitFor();
    await expect.poll(() => backlog(page).allInnerTexts(), { timeout: 30_000 }).toEqual(['0', '0', '0']);
    const deliveries = page.getByRole('region', { name: 'Last deliveries' });
    await deliveries.getByText('Delivered').nth(2).waitFor();
    expect(await readStatuses(erp)).toEqual(['delivered', 'delivered', 'delivered']);
    // The list follows too, without being loaded again.
    await rows.getByText('Delivered').nth(2).waitFor();
    await erp.sendAnother();
    await rows.getByText('Delivered').nth(3).waitFor();
    // A filter is the server's, and a list that does not follow it is not called live.
    await list.goto(`${running.url}t/acme-shop/deliveries?status=DELIVERED`);
    await list.getByRole('button', { name: 'As of' }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('Nothing needs attention.').waitFor();
    await page.context().close();
  });

  test('by keyboard alone, while the server restarts', async ({ onTestFinished }) => {
    const erp = await startFailingErp(running, 'Warehouse', 2);
    onTestFinished(() => erp.stop());
    const page = await openPage(browser, running, 'deliveries?status=FAILED');
    const { keyboard } = page;
    const press = async (target: Parameters<typeof tabTo>[1]) => {
      await tabTo(page, target);
      await keyboard.press('Enter');
    };
    await tabTo(page, page.getByRole('grid', { name: 'Deliveries' }));
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await expectAttempts(page, [/Failed\s.*500/s, /Failed\s.*500/s], complaint);

    await erp.restartServer(async () => {
      await page.getByText('Offline').waitFor();
      erp.repair();
    });
    await page.getByText('Live', { exact: true }).waitFor();
    await press(page.getByRole('button', { name: 'Resend' }));
    await press(page.getByRole('complementary').getByRole('button', { name: 'Resend' }));
    await expectAttempts(page, [/Failed\s.*500/s, /Failed\s.*500/s, /Delivered\s.*200/s], 'booked');

    await press(page.getByRole('link', { name: 'Warehouse' }));
    await press(page.getByRole('button', { name: 'Recover', exact: true }));
    await press(page.getByRole('complementary').getByRole('button', { name: 'Recover', exact: true }));
    await page.getByText('1 delivery is sent again.').waitFor();
    await expect.poll(() => backlog(page).allInnerTexts(), { timeout: 30_000 }).toEqual(['0', '0', '0']);
    expect(await readStatuses(erp)).toEqual(['delivered', 'delivered']);
    await page.context().close();
  });

  test('a double click on Resend sends once', async ({ onTestFinished }) => {
    const erp = await startFailingErp(running, 'Archive', 1);
    onTestFinished(() => erp.stop());
    const page = await openPage(browser, running, 'deliveries?status=FAILED');
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.postData() ?? ''));
    const row = page.getByRole('grid', { name: 'Deliveries' }).getByRole('row').filter({ hasText: 'Archive' });
    await row.getByRole('link').first().click();
    await expectAttempts(page, [/Failed\s.*500/s, /Failed\s.*500/s], complaint);
    erp.repair();
    const before = erp.receiver.arrived.length;
    await page.getByRole('button', { name: 'Resend' }).dblclick();
    await page.getByRole('complementary').getByRole('button', { name: 'Resend' }).dblclick();
    await expectAttempts(page, [/Failed\s.*500/s, /Failed\s.*500/s, /Delivered\s.*200/s], 'booked');
    expect(sent.filter((body) => /mutation ResendDelivery|resendWebhookDelivery\b/i.test(body))).toHaveLength(1);
    expect(erp.receiver.arrived.length - before).toBe(1);
    await page.context().close();
  });
});
