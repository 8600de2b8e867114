import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { openPage, tabTo } from '#test/console/commerce/signed-in.ts';
import { importFile, makeProfile, startImportWorker } from '#test/imports/import-file.ts';
import { test as base } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { startTestConsole } from '#test/setup/console.ts';

/** How long a test waits for the page, which shares its processors with every other test. */
const patient = { timeout: 30_000 };

const test = base
  .extend('served', { scope: 'file' }, async ({ database }, { onCleanup }) => {
    const served = await startTestConsole(database.url);
    onCleanup(() => served.close());
    await makeProfile(served.api, { name: 'Products', target: 'products' });
    await importFile(served.api, 'sku,name\nMUG-1,Mug\nMUG-2,Mug\n', 'Products');
    await startImportWorker(served.api);
    return served;
  })
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern which fixtures are asked for
  .extend('browser', { scope: 'file' }, async ({}, { onCleanup }) => {
    const browser = await launchBrowser();
    onCleanup(() => browser.close());
    return browser;
  });

/** As a German ERP system writes it: Windows-1252, semicolons, decimal commas, points in thousands. */
const stockFile = (quantity: string): Buffer =>
  Buffer.from(
    `Artikelnr.;Bezeichnung;Lagerort;Ist-Menge\r\nMUG-1;Große Tasse;halle;${quantity}\r\nMUG-2;Tasse;halle;viele\r\nÖL-1;Öl;halle;3,00\r\n`,
    'latin1',
  );

/** What was detected, and the columns whose names say what they are. Articles with names may be products, so the reader says that these are not. */
async function expectDetected(page: Page, chooseStock: (records: Locator) => Promise<unknown>): Promise<void> {
  await page.getByRole('heading', { name: 'Preview' }).waitFor();
  const value = (name: string) => page.getByLabel(name, { exact: true }).inputValue();
  expect(await Promise.all(['Records', 'Encoding', 'Delimiter', 'Header'].map(value))).toEqual([
    'products',
    'windows-1252',
    ';',
    'true',
  ]);
  await chooseStock(page.getByLabel('Records', { exact: true }));
  expect(await value('Column for sku')).toBe('=Artikelnr.');
  expect(await value('Column for location')).toBe('=Lagerort');
  expect(await value('Column for quantity')).toBe('none');
}

const cell = (page: Page, region: string, text: string | RegExp): Locator =>
  page.getByRole('region', { name: region }).getByRole('cell', { name: text });

/** The rows that the import has rejected, as its page shows them and as its file has them. */
async function expectRejects(page: Page, download: () => Promise<void>): Promise<void> {
  await page.getByRole('heading', { level: 1, name: /^Import \d+: Stock$/ }).waitFor();
  await page.getByText('Completed').waitFor();
  const shown = page.getByRole('region', { name: 'Rejected rows' }).getByRole('row');
  await expect
    .poll(() => shown.allInnerTexts(), patient)
    .toEqual([
      expect.stringContaining('Reason'),
      expect.stringMatching(/^3\sIst-Menge\sviele\sUse a number such as 1\.234,50/),
      expect.stringMatching(/^4\sArtikelnr\.\sÖL-1\sThere is no product/),
    ]);
  const [saved] = await Promise.all([page.waitForEvent('download'), download()]);
  expect(await readFile(await saved.path(), 'utf8')).toMatch(/^line,column,value,reason\n3,Ist-Menge,viele,[^\n]+\n4,/);
}

const onHand = async (api: TestApp): Promise<unknown> =>
  (await api.graphql('{ stock(sku: "MUG-1") { locations { location onHand } } }')).data['stock'];

/** Drops a file from the desktop on the middle of an element, as the browser reports it. */
async function dropFile(page: Page, path: string, target: Locator): Promise<void> {
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  if (!box) throw new Error('There is nothing to drop the file on.');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x, y, data });
}

describe.skipIf(browserIsMissing)(`a German stock file${skippedSuffix}`, { timeout: 180_000 }, () => {
  test('is chosen, mapped, tried and imported by keyboard', async ({ served, browser, onTestFinished }) => {
    const page = await openPage(browser, served, 'imports');
    onTestFinished(() => page.context().close());
    const press = async (target: Locator, key = 'Enter') => {
      await tabTo(page, target);
      await page.keyboard.press(key);
    };
    const chooses = page.waitForEvent('filechooser');
    await press(page.getByRole('link', { name: 'New import' }));
    await press(page.getByLabel('Choose a file'));
    const buffer = stockFile('2.000,00');
    await (await chooses).setFiles({ name: 'Bestand 2026-11-28.csv', mimeType: 'text/csv', buffer });
    // A select that has the focus takes the option whose first letters are typed.
    await expectDetected(page, (records) => tabTo(page, records).then(() => page.keyboard.type('Stock')));

    await tabTo(page, page.getByLabel('Column for quantity', { exact: true }));
    await page.keyboard.type('Ist');
    await tabTo(page, page.getByLabel('How cells for quantity are read'));
    await page.keyboard.type('Numbers such as 1.');
    await page.getByText('2 of the first 3 rows would be rejected.').waitFor();
    await cell(page, 'Preview', 'ÖL-1 There is no product with this SKU.').waitFor();

    await press(page.getByRole('button', { name: 'Try all rows (dry run)' }));
    await page.getByText('Would change1').waitFor();
    await press(page.getByRole('button', { name: 'Import', exact: true }));
    await expectRejects(page, () => press(page.getByRole('link', { name: 'Download all rejected rows' })));
    expect(await onHand(served.api)).toEqual({ locations: [{ location: 'halle', onHand: '2000' }] });
  });

  test('is dropped, mapped, tried and imported with the mouse', async ({ served, browser, onTestFinished }) => {
    const page = await openPage(browser, served, 'imports');
    const folder = await mkdtemp(join(tmpdir(), 'causeway-drop-'));
    onTestFinished(async () => {
      await page.context().close();
      await rm(folder, { recursive: true });
    });
    const path = join(folder, 'Lagerbestand.csv');
    await writeFile(path, stockFile('1.250,00'));
    await page.getByRole('link', { name: 'New import' }).click();
    await dropFile(page, path, page.getByText('Drop a file here'));
    await page.getByText('Lagerbestand.csv').waitFor();
    await expectDetected(page, (records) => records.selectOption('Stock'));

    await page.getByLabel('Column for quantity', { exact: true }).selectOption('Ist-Menge');
    await page.getByLabel('How cells for quantity are read').selectOption('Numbers such as 1.234,50');
    await page.getByText('2 of the first 3 rows would be rejected.').waitFor();

    await page.getByRole('button', { name: 'Try all rows (dry run)' }).click();
    await page.getByText('Would change1').waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await expectRejects(page, () => page.getByRole('link', { name: 'Download all rejected rows' }).click());
    expect(await onHand(served.api)).toEqual({ locations: [{ location: 'halle', onHand: '1250' }] });
    // The list that was left has the import, and says how it ended.
    await page.getByRole('navigation').first().getByRole('link', { name: 'Imports' }).click();
    await page.getByRole('row').filter({ hasText: 'Lagerbestand' }).first().getByText('Completed').waitFor();
  });
});
