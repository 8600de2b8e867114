import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { tabTo } from '#test/console/commerce/signed-in.ts';
import { test } from '#test/setup/app-test.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { startTestConsole, type TestConsole } from '#test/setup/console.ts';
import { makeBlob, findCanvas, EditedWorkflow, savedState, setNode } from './editor-page.ts';

let running: TestConsole;
let browsers: Browser[] = [];

test.beforeAll(async ({ database }) => {
  if (browserIsMissing) return;
  running = await startTestConsole(database.url);
  browsers = await Promise.all([launchBrowser(), launchBrowser()]);
}, 240_000);

test.afterAll(async () => {
  await Promise.all(browsers.map((browser) => browser.close()));
  await running?.close();
});

const timeout = 180_000;
const nodes = [setNode('one', { by: 'nobody' }), setNode('two', {}, 240), setNode('three', {}, 480)];

async function setValues(page: Page, path: string, values: object): Promise<void> {
  await findCanvas(page).locator(`[data-path="${path}"]`).dblclick();
  await page.getByLabel(/^Values/).fill(JSON.stringify(values));
  await page.getByRole('complementary').getByRole('button', { name: 'Close' }).click();
}

/** Two pages, of which the second was away while both changed the node `one`, and each another node. */
async function disagree(workflow: EditedWorkflow): Promise<Page[]> {
  const pages = await Promise.all(browsers.map((browser) => workflow.open(browser)));
  const [first, second] = pages;
  if (!first || !second) throw new Error('There are two browsers.');
  // The name of the node's kind is shown when the definitions are read, without which no form can be drawn.
  await Promise.all(
    pages.map((page) => findCanvas(page).locator('[data-path="three"]').getByText('Set values').waitFor()),
  );
  await second.context().setOffline(true);
  await setValues(second, 'one', { by: 'second' });
  await setValues(second, 'three', { by: 'second' });
  await second.getByText('The server cannot be reached.').waitFor();
  await setValues(first, 'one', { by: 'first' });
  await setValues(first, 'two', { by: 'first' });
  await savedState(first).waitFor();
  await second.context().setOffline(false);
  await second.getByRole('heading', { name: 'Two edits disagree' }).waitFor();
  return [first, second];
}

async function readValues(workflow: EditedWorkflow) {
  const { draft } = await workflow.read();
  return Object.fromEntries(draft?.blob.nodes.map(({ id, config }) => [id, config['values']]) ?? []);
}

const values = (page: Page, path: string) => async () => {
  await findCanvas(page).locator(`[data-path="${path}"]`).dblclick();
  const text = await page.getByLabel(/^Values/).inputValue();
  await page.getByRole('complementary').getByRole('button', { name: 'Close' }).click();
  return JSON.parse(text) as unknown;
};

test.skipIf(browserIsMissing)(
  `two editors of one draft see both sides of what they disagree on, and end with the same graph${skippedSuffix}`,
  { timeout },
  async () => {
    const workflow = await EditedWorkflow.create(running, 'By two', makeBlob(nodes));
    const [first, second] = await disagree(workflow);
    if (!first || !second) throw new Error('There are two browsers.');
    const conflict = second.getByRole('region', { name: 'Two edits disagree' });
    const sides = conflict.getByRole('group', { name: /^one/ });
    expect(await sides.locator('ins').allInnerTexts()).toEqual([
      expect.stringContaining('second'),
      expect.stringContaining('first'),
    ]);
    // What only the other has changed is told, and nothing is saved before somebody has chosen.
    await conflict.getByRole('list', { name: 'Differences' }).getByRole('button', { name: 'two' }).waitFor();
    expect(await readValues(workflow)).toEqual({ one: { by: 'first' }, two: { by: 'first' }, three: {} });

    await sides.getByRole('radio', { name: 'The other' }).check();
    await conflict.getByRole('button', { name: 'Keep what is chosen' }).click();
    await savedState(second).waitFor();
    const merged = { one: { by: 'first' }, two: { by: 'first' }, three: { by: 'second' } };
    await expect.poll(() => readValues(workflow), { timeout: 30_000 }).toEqual(merged);
    await expect.poll(values(first, 'three'), { timeout: 30_000 }).toEqual({ by: 'second' });
    expect(await values(second, 'two')()).toEqual({ by: 'first' });

    // What the second did by itself can still be undone, and what was decided for the first stays.
    await second.getByRole('button', { name: 'Undo' }).click();
    await savedState(second).waitFor();
    await expect.poll(() => readValues(workflow), { timeout: 30_000 }).toEqual({ ...merged, three: {} });
  },
);

test.skipIf(browserIsMissing)(`a disagreement is decided by keyboard alone${skippedSuffix}`, { timeout }, async () => {
  const workflow = await EditedWorkflow.create(running, 'By keyboard', makeBlob(nodes));
  const [, second] = await disagree(workflow);
  if (!second) throw new Error('There are two browsers.');
  await tabTo(second, second.getByRole('radio', { name: 'Yours' }));
  await second.keyboard.press('ArrowDown');
  expect(await second.getByRole('radio', { name: 'The other' }).isChecked()).toBe(true);
  await tabTo(second, second.getByRole('button', { name: 'Keep all of yours' }));
  await second.keyboard.press('Enter');
  await expect
    .poll(() => readValues(workflow), { timeout: 30_000 })
    .toEqual({ one: { by: 'second' }, two: { by: 'first' }, three: { by: 'second' } });
});
