import type { Browser, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import {
  makeBlob,
  findCanvas,
  EditedWorkflow,
  savedState,
  setNode,
} from '#test/console/automation/editor/editor-page.ts';
import { tabTo } from '#test/console/commerce/signed-in.ts';
import { test } from '#test/setup/app-test.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { startTestConsole, type TestConsole } from '#test/setup/console.ts';

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

const timeout = 180_000;
// At one place, the second node would be the first one with another name.
const first = makeBlob([setNode('one', { rate: 1 }), setNode('two', {}, 240)], [['one', 'two']]);
const second = makeBlob([setNode('one', { rate: 2 }), setNode('three', { rate: 9 }, 480)], [['one', 'three']]);

const findList = (page: Page) => page.getByRole('complementary').getByRole('list', { name: 'Differences' });

/** A workflow with two revisions. */
async function createRevised(name: string): Promise<EditedWorkflow> {
  const workflow = await EditedWorkflow.create(running, name, first);
  await workflow.publish(second, 'Three instead of two');
  return workflow;
}

async function waitForNode(page: Page, path: string): Promise<void> {
  await page.locator(`[data-path="${path}"]:visible`).waitFor();
}

describe.skipIf(browserIsMissing)(`the revisions of a workflow in the editor${skippedSuffix}`, { timeout }, () => {
  test('are shown as a difference before a draft is published', async () => {
    const workflow = await createRevised('Published with a look');
    const page = await workflow.open(browser);
    await findCanvas(page).locator('[data-path="one"]').dblclick();
    await page.getByLabel(/^Values/).fill('{"rate": 3}');
    // The form covers the other node.
    await page.getByRole('complementary').getByRole('button', { name: 'Close' }).click();
    await findCanvas(page).locator('[data-path="three"]').click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await savedState(page).waitFor();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('heading', { name: 'What differs from revision 2, which runs' }).waitFor();
    const lines = await findList(page).getByRole('listitem').allInnerTexts();
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/one[\s\S]*changed[\s\S]*rate[\s\S]*2[\s\S]*3/);
    expect(lines[1]).toMatch(/three[\s\S]*removed/);
    expect(lines[2]).toContain('one no longer leads to three');
    await findList(page).getByRole('button', { name: 'one' }).click();
    await page.locator('.react-flow__node.selected [data-path="one"]').waitFor();
    await page.getByRole('complementary').getByRole('button', { name: 'Publish' }).click();
    await page.getByText('The workflow is published.').waitFor();
    expect((await workflow.read()).revision).toBe(3);
    // What this page has published itself is no news.
    expect(await page.getByText('was published by').count()).toBe(0);
  });

  test('are compared with each other and with the draft, and taken into it, by mouse', async () => {
    const workflow = await createRevised('Compared by mouse');
    const page = await workflow.open(browser);
    await page.getByRole('button', { name: 'Revisions' }).click();
    await page.getByText('Three instead of two').waitFor();
    await page
      .getByRole('group', { name: 'Revision 1', exact: true })
      .getByRole('button', { name: 'Compare with the draft' })
      .click();
    const drawing = page.getByRole('group', { name: 'Revision 1 compared with Draft' });
    await drawing.locator('.is-removed [data-path="two"]').waitFor();
    await drawing.locator('.is-added [data-path="three"]').waitFor();
    await drawing.locator('.is-changed [data-path="one"]').waitFor();
    expect(page.url()).toContain('from=1');
    await page
      .getByRole('group', { name: 'Revision 1', exact: true })
      .getByRole('button', { name: 'Take into the draft' })
      .click();
    await page.getByText('The draft is now as revision 1 was.').waitFor();
    await page.getByText('There is no difference.').waitFor();
    await expect
      .poll(async () => (await workflow.read()).draft?.blob.nodes.map(({ id }) => id))
      .toEqual(['one', 'two']);
    await page.getByRole('complementary').getByRole('button', { name: 'Close' }).click();
    await waitForNode(page, 'two');
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await waitForNode(page, 'three');
    await expect
      .poll(async () => (await workflow.read()).draft?.blob.nodes.map(({ id }) => id))
      .toEqual(['one', 'three']);
  });

  test('have an address, and are reached by keyboard', async () => {
    const workflow = await createRevised('Compared by keyboard');
    const page = await workflow.open(browser, '?do=revisions&from=1&to=2');
    await page.getByRole('heading', { name: 'Revision 1 compared with Revision 2' }).waitFor();
    await tabTo(page, findList(page).getByRole('button', { name: 'three', exact: true }));
    await page.keyboard.press('Enter');
    const of2 = page.getByRole('group', { name: 'Revision 2', exact: true });
    await tabTo(page, of2.getByRole('button', { name: 'Compare with the draft' }));
    await page.keyboard.press('Enter');
    await page.getByText('There is no difference.').waitFor();
    await page.keyboard.press('Escape');
    await findCanvas(page).locator('[data-path="three"]').waitFor();
    expect(page.url()).not.toContain('do=');
  });

  test('that somebody else publishes meanwhile are announced, with what they change', async () => {
    const workflow = await EditedWorkflow.create(running, 'Published by another', first);
    const page = await workflow.open(browser);
    await findCanvas(page).locator('[data-path="two"]').waitFor();
    await workflow.publish(second, 'By another');
    await page.getByText(/^Revision 2 was published by .* while this page was open\.$/).waitFor();
    await page.getByRole('button', { name: 'See what it changes' }).click();
    await page.getByRole('heading', { name: 'Revision 1 compared with Revision 2' }).waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByText('was published by').waitFor({ state: 'detached' });
  });
});
