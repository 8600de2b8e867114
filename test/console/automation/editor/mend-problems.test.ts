import type { Browser, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { openPage, tabTo } from '#test/console/commerce/signed-in.ts';
import { test } from '#test/setup/app-test.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { startTestConsole, type TestConsole } from '#test/setup/console.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';
import { draftNodes, draftState, openDraft } from './drafts.ts';

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

const mistaken = [
  { id: 'set', node: 'core:set', version: '^1.0.0', config: { values: { a: 1 }, vlaues: 2 } },
  {
    id: 'ask',
    node: 'core:http-request',
    version: '^1.0.0',
    config: { url: 'https://erp.example', timeout_ms: 'soon' },
  },
];

const list = (page: Page) => page.getByRole('region', { name: 'Problems' });
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.closest('[data-field]')?.getAttribute('data-field'));

describe.skipIf(browserIsMissing)(`The problems of a draft${skippedSuffix}`, () => {
  test(
    'are mended from the list and beside the field by mouse, and the mending can be undone',
    startsProcesses,
    async () => {
      const { id, address } = await openDraft(running, 'Mended by mouse', mistaken);
      const page = await openPage(browser, running, address);
      const rows = list(page).getByRole('listitem');
      await rows.filter({ hasText: 'vlaues' }).waitFor();
      expect(await rows.locator('> :first-child').allInnerTexts()).toEqual(
        Array(await rows.count()).fill(expect.stringMatching(/^(Error|Warning)$/)),
      );
      const starts = await rows
        .locator('button')
        .evaluateAll((all) =>
          all.filter((each) => each.matches('.editor-jump')).map((each) => each.getBoundingClientRect().x),
        );
      expect(new Set(starts).size).toBe(1);
      // The whole row leads to the field, not the name of the node alone.
      const row = rows.filter({ hasText: 'vlaues' }).getByRole('button', { name: 'set' }).first();
      await row.click({ position: { x: ((await row.boundingBox())?.width ?? 0) - 8, y: 8 } });
      await expect.poll(() => focused(page)).toBe('vlaues');
      await page.getByRole('complementary').getByRole('button', { name: 'Remove vlaues' }).click();
      await expect.poll(async () => (await draftNodes(running, id))[0]?.config).toEqual({ values: { a: 1 } });
      await page.getByRole('button', { name: 'Undo' }).click();
      await expect
        .poll(async () => (await draftNodes(running, id))[0]?.config)
        .toEqual({ values: { a: 1 }, vlaues: 2 });
      await list(page).getByRole('button', { name: 'Remove vlaues' }).click();
      await expect.poll(async () => (await draftNodes(running, id))[0]?.config).toEqual({ values: { a: 1 } });
      await page.context().close();
    },
  );

  test('are a namespace of state that is declared by one press, and then the next', startsProcesses, async () => {
    const { id, address } = await openDraft(running, 'Mended namespaces', [
      { id: 'keep', node: 'core:state-set', version: '1.0.0', config: { namespace: 'erp.orders', key: 'a', value: 1 } },
      { id: 'look', node: 'core:state-get', version: '1.0.0', config: { namespace: 'shop', key: 'a' } },
    ]);
    const page = await openPage(browser, running, address);
    const keep = list(page).getByRole('button', { name: 'Declare erp.orders for reading and writing' });
    await keep.click();
    await keep.waitFor({ state: 'detached' });
    await list(page).getByRole('button', { name: 'Declare shop for reading', exact: true }).click();
    await expect
      .poll(() => draftState(running, id))
      .toEqual({ namespaces: { 'erp.orders': 'read_write', shop: 'read' } });
    await list(page).waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('are gone through by F8 and announced, and mended by keyboard', startsProcesses, async () => {
    const { id, address } = await openDraft(running, 'Mended by keyboard', mistaken);
    const page = await openPage(browser, running, address);
    await tabTo(page, page.getByRole('group', { name: 'Graph of the workflow' }));
    const first = page.getByRole('status').filter({ hasText: /^Problem 1 of \d: / });
    await list(page).waitFor();
    await page.keyboard.press('F8');
    await first.waitFor();
    await expect.poll(() => focused(page)).toBe('timeout_ms');
    await page.keyboard.press('F8');
    await page
      .getByRole('status')
      .filter({ hasText: /^Problem 2 of \d: / })
      .waitFor();
    await page.keyboard.press('Shift+F8');
    await first.waitFor();
    await expect.poll(() => focused(page)).toBe('timeout_ms');
    await page.keyboard.press('Shift+F8');
    await expect.poll(() => focused(page)).toBe('vlaues');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await draftNodes(running, id))[0]?.config).toEqual({ values: { a: 1 } });
    await page.context().close();
  });
});
