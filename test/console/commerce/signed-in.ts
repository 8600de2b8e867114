import type { Browser, Locator, Page } from 'playwright-core';
import { chooseUser, type TestConsole } from '#test/setup/console.ts';

/** A page of the console at the address below the tenant, signed in as an administrator. */
export async function openPage(browser: Browser, running: TestConsole, address: string): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(`${running.url}t/acme-shop/${address}`);
  await chooseUser(page);
  await page.getByRole('navigation').first().waitFor();
  return page;
}

/** Moves the focus with Tab until it is on the element. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < 80; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`80 presses of Tab did not reach ${String(target)}.`);
}
