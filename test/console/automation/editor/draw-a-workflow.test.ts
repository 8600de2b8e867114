import type { Browser, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { openPage, tabTo } from '#test/console/commerce/signed-in.ts';
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

const timeout = 300_000;
const emptyBlob = { version: 'v1', nodes: [], edges: [] };

/** Makes an empty workflow, and returns the address of its editor below the tenant, and its id. */
async function createEmpty(name: string): Promise<{ id: string; address: string }> {
  const { data } = await running.api.graphql<{ createWorkflow: { workflow: { id: string } } }>(
    'mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { ... on CreateWorkflowPayload { workflow { id } } } }',
    { input: { name, blob: emptyBlob } },
    { tenant: 'acme-shop', roles: ['admin'] },
  );
  const id = data?.createWorkflow.workflow.id ?? '';
  return { id, address: `editor/${id.replaceAll('=', '')}` };
}

/** The blob that runs. */
async function readPublished(id: string): Promise<unknown> {
  const { data } = await running.api.graphql<{ workflow: { blob: unknown; draft: unknown } }>(
    'query ($id: ID!) { workflow(id: $id) { blob draft { version } } }',
    { id },
    { tenant: 'acme-shop', roles: ['admin'] },
  );
  expect(data?.workflow.draft).toBeNull();
  return data?.workflow.blob;
}

const drawn = {
  nodes: [
    { id: 'set', node: 'core:set', config: { values: { total: '{{ trigger.payload.total }}' } } },
    { id: 'respond', node: 'core:respond', config: { value: '{{ nodes.set.outputs.total }}' } },
  ],
  edges: [{ from: { node: 'set', branch: 'default' }, to: 'respond' }],
};

const saved = (page: Page) => page.getByRole('status').filter({ hasText: /^Saved$/ });

describe('from an empty workflow to a published one', () => {
  test.skipIf(browserIsMissing)(`by mouse${skippedSuffix}`, { timeout }, async () => {
    const { id, address } = await createEmpty('By mouse');
    const page = await openPage(browser, running, address);
    await page.getByText('This workflow has no nodes yet.').waitFor();
    await page.getByRole('button', { name: 'Add a node' }).click();
    await page.getByRole('searchbox').fill('core:set ');
    await page
      .getByRole('complementary')
      .getByRole('button', { name: /^Set values/ })
      .click();
    const canvas = page.getByRole('group', { name: 'Graph of the workflow' });
    await canvas.locator('[data-path="set"]').dblclick();
    await page.getByLabel(/^Values/).fill('{"total": "{{ trigger.payload.total }}"}');
    await page.getByRole('button', { name: 'Add a node' }).click();
    await page.getByRole('searchbox').fill('core:respond');
    await page
      .getByRole('complementary')
      .getByRole('button', { name: /^Respond/ })
      .click();
    await canvas.locator('[data-path="respond"]').dblclick();
    await page.getByLabel(/^Value/).fill('{{ nodes.set.outputs.total }}');
    await page.getByRole('button', { name: 'Add a note' }).click();
    await canvas.getByRole('textbox', { name: 'Note' }).fill('Totals alone');
    await saved(page).waitFor();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByLabel('What changed, and why').fill('The first one');
    await page.getByRole('complementary').getByRole('button', { name: 'Publish' }).click();
    await page.getByText('The workflow is published.').waitFor();
    expect(await readPublished(id)).toMatchObject({ ...drawn, canvas: { notes: [{ text: 'Totals alone' }] } });
  });

  test.skipIf(browserIsMissing)(`by keyboard${skippedSuffix}`, { timeout }, async () => {
    const { id, address } = await createEmpty('By keyboard');
    const page = await openPage(browser, running, address);
    const canvas = page.getByRole('group', { name: 'Graph of the workflow' });
    const type = (text: string) => page.keyboard.type(text);
    const isOnCanvas = canvas.and(page.locator(':focus'));
    /** The first Escape may close a list of completions, and the next the form. */
    const leaveForm = async () => {
      for (let presses = 0; presses < 4 && !(await isOnCanvas.isVisible()); presses += 1) {
        await page.keyboard.press('Escape');
        await isOnCanvas.waitFor({ timeout: 2_000 }).catch(() => undefined);
      }
      await isOnCanvas.waitFor();
    };
    await tabTo(page, canvas);
    for (const name of ['core:set ', 'core:respond']) {
      await page.keyboard.press('a');
      await page.getByRole('searchbox').waitFor();
      await type(name);
      await page.keyboard.press('Enter');
      await page.getByRole('searchbox').waitFor({ state: 'detached' });
      // Back on the graph, where the keys go on.
      await isOnCanvas.waitFor();
    }
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByLabel(/^Values/));
    await type('{"total": "{{ trigger.payload.total }}"}');
    await leaveForm();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByLabel(/^Value/));
    await type('{{ nodes.set.outputs.total }}');
    await leaveForm();
    await saved(page).waitFor();
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+y');
    await saved(page).waitFor();
    // A panel that another one has opened leads back to the graph, whose node is still selected.
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Run this node' }).press('Enter');
    await page.getByRole('heading', { name: 'Try it' }).waitFor();
    await leaveForm();
    // So does a button that is gone once it is pressed.
    await page.getByRole('button', { name: 'Remove', exact: true }).press('Enter');
    await isOnCanvas.waitFor();
    await page.keyboard.press('Control+z');
    await canvas.locator('[data-path="respond"]').waitFor();
    await saved(page).waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Publish' }));
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByLabel('What changed, and why'));
    await type('The first one');
    await tabTo(page, page.getByRole('complementary').getByRole('button', { name: 'Publish' }));
    await page.keyboard.press('Enter');
    await page.getByText('The workflow is published.').waitFor();
    expect(await readPublished(id)).toMatchObject(drawn);
  });
});
