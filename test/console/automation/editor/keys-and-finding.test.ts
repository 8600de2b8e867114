import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { openPage } from '#test/console/commerce/signed-in.ts';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { test } from '#test/setup/console-test.ts';
import { EditedWorkflow, findCanvas, makeBlob, setNode } from './editor-page.ts';

const panel = (page: Page) => page.getByRole('complementary');
const palette = (page: Page) => page.getByRole('dialog', { name: 'Go to, search, act' });
const hasFocus = (page: Page, selector: string) =>
  page.waitForFunction((wanted) => document.activeElement?.matches(wanted) ?? false, selector);

async function find(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await palette(page).waitFor();
  await page.keyboard.type(text);
}

describe.skipIf(browserIsMissing)(`By keyboard${skippedSuffix}`, { timeout: 300_000 }, () => {
  test('a workflow is created from the palette, gets a trigger, loses it by Del, and its editor is found by name', async ({
    browser,
    served,
  }) => {
    const page = await openPage(browser, served, 'runs');
    await find(page, 'create workflow');
    await palette(page).getByRole('menuitem', { name: 'New workflow' }).waitFor();
    await page.keyboard.press('Enter');
    await panel(page).getByLabel('Name').fill('Keyboard alone');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Keyboard alone' }).waitFor();
    // Keys act from the start.
    await hasFocus(page, '.editor-canvas');
    await page.getByText('Or start from a template.').waitFor();
    await page.keyboard.press('?');
    await panel(page).getByRole('heading', { name: 'Keys of the editor' }).waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Add a trigger', exact: true }).click();
    await panel(page).getByLabel('Name').fill('Shop');
    // A choice is no text.
    await panel(page).getByLabel('Active').focus();
    await panel(page).getByRole('button', { name: 'Add a trigger' }).click();
    await panel(page).getByRole('heading', { name: 'Shop' }).waitFor();
    // The next step alone is left of the hint.
    await page.getByText('Now add the first node').waitFor();
    expect(await page.getByText('Or start from a template.').count()).toBe(0);
    await panel(page).getByRole('button', { name: 'Close' }).click();

    await findCanvas(page).locator('.is-trigger').click();
    await findCanvas(page).focus();
    await page.keyboard.press('Delete');
    await panel(page).getByText('This cannot be undone.').waitFor();
    await panel(page).getByRole('button', { name: 'Delete the trigger' }).click();
    await findCanvas(page).locator('.is-trigger').waitFor({ state: 'detached' });

    await find(page, 'open editor of keyboard');
    await palette(page).getByRole('menuitem', { name: 'Open the editor of Keyboard alone' }).waitFor();
    await page.keyboard.press('Enter');
    await palette(page).waitFor({ state: 'detached' });
    expect(page.url()).toContain('/editor/');
  });

  test('Connect brings each node into view and calls it by its name; publishing begins with the note', async ({
    browser,
    served,
  }) => {
    const blob = makeBlob([setNode('near', {}), setNode('middle', {}, 600), setNode('far', {}, 4_000)]);
    const workflow = await EditedWorkflow.create(served, 'Wide', blob);
    const page = await workflow.open(browser);
    const canvas = findCanvas(page);
    await canvas.locator('[data-path="near"]').click();
    await page.keyboard.press('c');
    const far = panel(page).getByRole('button', { name: 'far' });
    await far.focus();
    expect(await far.innerText()).toContain('Set values');
    await expect
      .poll(async () => {
        const [node, graph] = await Promise.all([
          canvas.locator('[data-path="far"]').boundingBox(),
          canvas.boundingBox(),
        ]);
        return node && graph && node.x >= graph.x && node.x + node.width <= graph.x + graph.width;
      })
      .toBe(true);
    await page.keyboard.press('Enter');
    await panel(page).waitFor({ state: 'detached' });
    await page
      .getByRole('status')
      .filter({ hasText: /^Saved$/ })
      .waitFor();

    await canvas.focus();
    await page.keyboard.press('p');
    await panel(page).getByRole('heading', { level: 2, name: 'Publish' }).waitFor();
    await hasFocus(page, 'textarea');
    await page.keyboard.type('Why?');
    expect(await panel(page).getByLabel('What changed, and why').inputValue()).toBe('Why?');
    await panel(page).getByRole('button', { name: 'Publish' }).focus();
    await page.keyboard.press('?');
    await panel(page).getByRole('heading', { name: 'Keys of the editor' }).waitFor();
  });
});
