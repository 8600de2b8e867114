import type { Browser, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { startStoryWorld, type StoryWorld } from '#test/commerce/orders/story/story-world.ts';
import { createShop } from '#test/commerce/shop.ts';
import { test } from '#test/setup/app-test.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { startTestConsole, type TestConsole } from '#test/setup/console.ts';
import { openPage, tabTo } from './signed-in.ts';

let running: TestConsole;
let browser: Browser;
let world: StoryWorld | undefined;

test.beforeAll(async ({ database }) => {
  if (browserIsMissing) return;
  [running, browser] = await Promise.all([startTestConsole(database.url), launchBrowser()]);
}, 240_000);

test.afterAll(async () => {
  await browser?.close();
  await world?.close();
  await running?.close();
});

const order = async (sku: string, unitPrice = '10') =>
  (await createShop(running.api).place({ positions: [{ sku, quantity: '3', unitPrice }] })).order as unknown as {
    id: string;
    databaseId: number;
    number: string;
  };

const story = (page: Page) => page.getByRole('region', { name: 'From shop to ERP' });
const line = (page: Page, text: string | RegExp) => story(page).getByRole('row').filter({ hasText: text });

const suite = `The story of an order${skippedSuffix}`;
describe.skipIf(browserIsMissing)(suite, { timeout: 240_000 }, () => {
  test('says what to do where nothing has taken its event', async () => {
    const shop = createShop(running.api);
    await shop.stocked('CUP', '100');
    const { number } = await order('CUP');
    const page = await openPage(browser, running, 'orders');
    await page.getByRole('link', { name: number }).click();
    await story(page).getByText('No workflow and no destination has taken an event of this order.').waitFor();
    await story(page).getByRole('link', { name: 'workflow' }).click();
    await page.getByRole('heading', { name: 'Workflows' }).waitFor();
    await page.context().close();
  });

  test('grows on the open page, and leads with the mouse to the run, its request and the delivery', async () => {
    const page = await openPage(browser, running, 'orders');
    await page.getByText('Live', { exact: true }).waitFor();
    world = await startStoryWorld(running.api);
    const { number, databaseId } = await order('MUG');
    await page.getByRole('link', { name: number }).click();
    await line(page, /Create/).waitFor();
    await line(page, /^(?!.*Request)[\s\S]*Run \d+[\s\S]*Succeeded/)
      .first()
      .waitFor();
    await line(page, /Request of run \d+[\s\S]*POST http[^?]*\/erp\/orders: answered 200/).waitFor();
    await line(page, /order\.created to ERP[\s\S]*Delivered[\s\S]*1 attempt, last answer 200/).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect((await world.shop.act(databaseId, 'acknowledge', { erp_number: 'A-7' })).status).toBe(200);
    await line(page, /Acknowledge/).waitFor();
    await line(page, /order\.acknowledged to ERP[\s\S]*Delivered/).waitFor();

    await story(page)
      .getByRole('link', { name: /^Request of run/ })
      .click();
    await page.getByText('send_order').first().waitFor();
    await page.getByRole('link', { name: number, exact: true }).waitFor();
    await page.goBack();
    await story(page).getByRole('link', { name: 'order.created to ERP' }).click();
    await page.getByRole('heading', { name: /^Delivery/ }).waitFor();
    await page.getByRole('link', { name: 'ERP', exact: true }).waitFor();
    await page.context().close();
  });

  test('shows the ends of a long one, and all of its columns on a phone', async () => {
    const shop = createShop(running.api);
    const { id, number } = await order('CUP', '30');
    for (let n = 0; n < 60; n += 1)
      await shop.mutate(
        'recordPayment',
        { orderId: id, kind: 'CAPTURED', amount: '1', reference: `P${n}-${'long'.repeat(20)}` },
        'payment { id }',
      );
    const page = await openPage(browser, running, 'orders');
    await page.getByRole('link', { name: number }).click();
    const payments = line(page, 'Payment recorded');
    await story(page)
      .getByRole('button', { name: /^Show \d+ more$/ })
      .waitFor();
    await line(page, 'reference: P0-').waitFor();
    await line(page, 'reference: P59-').waitFor();
    expect(await payments.count()).toBeLessThan(41);
    await story(page)
      .getByRole('button', { name: /^Show \d+ more$/ })
      .click();
    await expect.poll(() => payments.count()).toBe(60);

    const hidden = () =>
      story(page)
        .getByRole('group')
        .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(await hidden()).toBe(0);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(hidden).toBe(0);
    await page.context().close();
  });

  test('is followed by keyboard alone', async () => {
    const { number } = await order('MUG');
    const page = await openPage(browser, running, 'orders');
    await tabTo(page, page.getByRole('link', { name: number }));
    await page.keyboard.press('Enter');
    const run = story(page).getByRole('link', { name: /^Run \d+/ });
    await line(page, /Delivered/).waitFor();
    await tabTo(page, run);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^Run/ }).first().waitFor();
    await page.goBack();
    await tabTo(page, story(page).getByRole('link', { name: 'order.created to ERP' }));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^Delivery/ }).waitFor();
    await page.context().close();
  });
});
