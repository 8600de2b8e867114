import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { createProduct } from '#src/commerce/products/products.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { Audit } from '#test/console/every-screen/audit.ts';
import type { Probe } from '#test/console/every-screen/probe.ts';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { account, patient, test } from '#test/setup/console-test.ts';
import { chooseUser } from '#test/setup/console.ts';

/** A laptop, the same at a zoom of 200 %, and phones. */
const widths = [1440, 720, 390, 320];
const name = 'x'.repeat(190);

const openFrom = async (page: Page, button: RegExp) => {
  await page.getByRole('button', { name: button }).click();
  await page.getByRole('menuitem').first().waitFor();
};

/** What opens each menu, and the part of the page that it is. */
const menus: Record<string, { part: string; open: (page: Page) => Promise<void> }> = {
  'the account': { part: '.popover', open: (page) => openFrom(page, /^Account:/) },
  'the saved views': { part: '.popover', open: (page) => openFrom(page, /^Views$/) },
  'the tenants': { part: '.popover', open: (page) => openFrom(page, /^Tenant:/) },
  'no tenant that matches': {
    part: '.popover',
    async open(page) {
      await openFrom(page, /^Tenant:/);
      await page.keyboard.type('no such tenant');
      await page.getByText('Nothing found.').waitFor();
    },
  },
  'the palette with nothing typed': {
    part: '.palette',
    async open(page) {
      await page.keyboard.press('Control+k');
      await page.getByRole('menuitem', { name: 'Runs' }).waitFor();
    },
  },
  'the palette': {
    part: '.palette',
    async open(page) {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog', { name: 'Go to, search, act' }).waitFor();
      await page.keyboard.type('xxx');
      await page.getByRole('menuitem', { name: /^Product/ }).waitFor();
    },
  },
};

/** What of the head and its menus reaches beyond the window, or scrolls sideways. */
const findOutside = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const parts = [
      ...document.querySelectorAll('html, header, .head button, .popover, .palette, [role=menu], [role=menuitem]'),
    ];
    const canScroll = (part: Element) => part.matches('html') || getComputedStyle(part).overflowX === 'auto';
    return parts
      .filter((part) => {
        const { right, width } = part.getBoundingClientRect();
        const isTooWide = canScroll(part) && part.scrollWidth > part.clientWidth + 1;
        return width > 0 && (isTooWide || right > innerWidth + 1);
      })
      .map((part) => `${part.tagName} ${part.className}`);
  });

test.skipIf(browserIsMissing)(
  `the head and its menus are accessible, and keep names of 190 letters within every window${skippedSuffix}`,
  { timeout: 300_000 },
  async ({ served, context }) => {
    await createProduct(served.api.deps, systemActor('acme', 'acme-shop'), { sku: 'LONG', name });
    await served.api.database.global.tenant.create({ data: { id: 'long', orgId: 'acme', name } });
    const audit = await Audit.begin(context);
    const { page } = audit;
    await page.goto(`${served.url}t/acme-shop/runs`);
    await chooseUser(page);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByText('No view is saved.').waitFor();
    await page.goto(`${served.url}t/acme-shop/runs?status=FAILED`);
    page.once('dialog', (dialog) => void dialog.accept(name));
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save this view' }).click();
    await page.getByText('Saved.').waitFor();
    await page.goto(`${served.url}t/long/runs`);
    await account(page).waitFor();
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(() => findOutside(page), patient).toEqual([]);
    }
    for (const [menu, { part, open }] of Object.entries(menus)) {
      await page.setViewportSize({ width: 1440, height: 800 });
      await page.goto(`${served.url}t/acme-shop/runs?status=FAILED`);
      await account(page).waitFor();
      await open(page);
      audit.add(menu, await page.evaluate((shown) => (globalThis as unknown as Probe).probe.check(shown), part));
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        await expect.poll(() => findOutside(page), patient).toEqual([]);
        expect(await page.locator(part).isVisible()).toBe(true);
      }
    }
    expect(audit.findings).toEqual([]);
  },
);
