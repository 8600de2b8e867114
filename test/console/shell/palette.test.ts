import { expect } from 'vitest';
import { openPage } from '#test/console/commerce/signed-in.ts';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { test } from '#test/setup/console-test.ts';

test.skipIf(browserIsMissing)(
  `the palette opens pages and does what the open page can do, by a few letters${skippedSuffix}`,
  { timeout: 180_000 },
  async ({ browser, served }) => {
    const page = await openPage(browser, served, 'runs');
    const palette = page.getByRole('dialog', { name: 'Go to, search, act' });
    // At once: what is typed while its code is loaded counts too.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('orders');
    await palette.getByRole('menuitem', { name: 'Orders' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();

    await page.keyboard.press('Control+k');
    await palette.waitFor();
    await page.keyboard.type('new order');
    await palette.getByRole('menuitem', { name: 'New order' }).waitFor();
    await page.keyboard.press('Enter');
    const form = page.getByRole('complementary', { name: 'New order' });
    await form.getByRole('button', { name: 'Create' }).waitFor();
    expect(page.url()).toContain('do=create');

    await page.keyboard.press('Control+k');
    await palette.waitFor();
    await page.keyboard.type('installations');
    await palette.getByRole('menuitem', { name: 'Installations' }).waitFor();
    await page.keyboard.press('Enter');
    // An empty list leads to what it names.
    await page.getByText('No extension is installed.').getByRole('link', { name: 'Extensions' }).click();
    await page.getByRole('heading', { name: 'Extensions', level: 1 }).waitFor();
  },
);
