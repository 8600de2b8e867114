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

const timeout = 240_000;
const as = { tenant: 'acme-shop', roles: ['admin'] };

interface Blob {
  nodes: { id: string; node: string; config: Record<string, unknown> }[];
  edges: { from: { node: string }; to: string }[];
}

const set = (id: string, value: string) => ({ id, node: 'core:set', version: '^1.0.0', config: { values: { value } } });
const chain = (...ids: string[]) => ids.slice(1).map((to, index) => ({ from: { node: ids[index] }, to }));

/** Opens the editor of a new workflow of three nodes: `one`, `two`, `three`. */
async function openEditor(name: string): Promise<{ id: string; page: Page }> {
  const nodes = [
    set('one', '{{ trigger.payload.id }}'),
    set('two', '{{ nodes.one.outputs.value }}'),
    set('three', '{{ nodes.two.outputs.value }}'),
  ];
  const { data } = await running.api.graphql<{ createWorkflow: { workflow: { id: string } } }>(
    'mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { ... on CreateWorkflowPayload { workflow { id } } } }',
    { input: { name, blob: { version: 'v1', nodes, edges: chain('one', 'two', 'three') } } },
    as,
  );
  const id = data?.createWorkflow.workflow.id ?? '';
  return { id, page: await openPage(browser, running, `editor/${id.replaceAll('=', '')}`) };
}

async function readDraft(id: string): Promise<Blob | undefined> {
  const { data } = await running.api.graphql<{ workflow: { draft: { blob: Blob } | null } }>(
    'query ($id: ID!) { workflow(id: $id) { draft { blob } } }',
    { id },
    as,
  );
  return data?.workflow.draft?.blob;
}

const readEdges = async (id: string): Promise<string[] | undefined> =>
  (await readDraft(id))?.edges.map(({ from, to }) => `${from.node} ${to}`).toSorted();

const canvas = (page: Page) => page.getByRole('group', { name: 'Graph of the workflow' });

describe('the canvas', () => {
  test.skipIf(browserIsMissing)(`takes nodes into its edges by mouse${skippedSuffix}`, { timeout }, async () => {
    const { id, page } = await openEditor('By mouse');
    await canvas(page).locator('.react-flow__edge').first().hover({ force: true });
    await page.getByRole('button', { name: 'Add a node into this edge' }).click();
    await page.getByRole('searchbox').fill('core:render');
    await page
      .getByRole('complementary')
      .getByRole('button', { name: /^Render/ })
      .click();
    await expect
      .poll(() => readEdges(id), { timeout: 60_000 })
      .toEqual(expect.arrayContaining(['one render', 'render two']));
    await page.getByRole('button', { name: 'Add a node', exact: true }).first().click();
    await page.getByRole('searchbox').fill('core:respond');
    const respond = page.getByRole('complementary').getByRole('button', { name: /^Respond/ });
    const edge = canvas(page).locator('.react-flow__edge').last();
    const box = await edge.boundingBox();
    await respond.dragTo(canvas(page), {
      targetPosition: await middle(canvas(page), box),
    });
    await expect.poll(async () => (await readEdges(id))?.filter((each) => each.includes('respond'))).toHaveLength(2);
  });

  test.skipIf(browserIsMissing)(`is searched and changed by keyboard${skippedSuffix}`, { timeout }, async () => {
    const { id, page } = await openEditor('By keyboard');
    await tabTo(page, canvas(page));
    await page.keyboard.press('?');
    await page.getByRole('complementary', { name: 'Keys of the editor' }).waitFor();
    await page.keyboard.press('Escape');
    await canvas(page).and(page.locator(':focus')).waitFor();

    await page.keyboard.press('Control+f');
    await page.keyboard.type('nodes.two');
    await page.getByRole('status').filter({ hasText: 'One node found' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: '1 of 1: three' }).waitFor();
    await page.keyboard.press('Escape');
    await canvas(page).and(page.locator(':focus')).waitFor();

    await page.keyboard.press('e');
    await page.getByRole('status').filter({ hasText: 'Edge from two to three along default' }).waitFor();
    await page.keyboard.press('a');
    await page.getByRole('searchbox').waitFor();
    await page.keyboard.type('core:render');
    await page.keyboard.press('Enter');
    await expect.poll(() => readEdges(id), { timeout: 60_000 }).toEqual(['one two', 'render three', 'two render']);
    await canvas(page).and(page.locator(':focus')).waitFor();

    await page.keyboard.press('Control+a');
    await page.getByRole('toolbar').getByText('4 selected').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('toolbar').getByText('4 selected').waitFor({ state: 'detached' });
  });

  test.skipIf(browserIsMissing)(`selects what is clicked alone${skippedSuffix}`, { timeout }, async () => {
    const { page } = await openEditor('Clicked');
    const selected = () =>
      canvas(page)
        .locator('.react-flow__node.selected, .react-flow__edge.selected')
        .evaluateAll((found) => found.map((each) => each.getAttribute('data-id')));
    const click = (path: string, modifiers: 'Control'[] = []) =>
      canvas(page).locator(`[data-path="${path}"]`).click({ modifiers });
    await click('one');
    await page.keyboard.press('e');
    await expect.poll(selected).toEqual(['edge:one.default>two']);
    await click('three');
    await expect.poll(selected).toEqual(['three']);
    await click('one', ['Control']);
    await expect.poll(selected).toEqual(['one', 'three']);
    await click('one');
    await expect.poll(selected).toEqual(['one']);
  });

  test.skipIf(browserIsMissing)(`opens each form at its top${skippedSuffix}`, { timeout }, async () => {
    const { page } = await openEditor('Scrolled');
    await page.setViewportSize({ width: 1280, height: 600 });
    await canvas(page).locator('[data-path="one"]').dblclick();
    const form = (name: string) => page.getByRole('complementary', { name });
    await form('one').getByRole('combobox').last().scrollIntoViewIfNeeded();
    const scrolled = (name: string) =>
      form(name).evaluate((panel) =>
        [panel, ...panel.querySelectorAll('*')].map(({ scrollTop }) => scrollTop).filter((top) => top > 0),
      );
    await expect.poll(() => scrolled('one')).not.toEqual([]);
    await canvas(page).locator('[data-path="two"]').click();
    await form('two').waitFor();
    expect(await scrolled('two')).toEqual([]);
  });

  test.skipIf(browserIsMissing)(`makes a sub-workflow of a node${skippedSuffix}`, { timeout }, async () => {
    const { id, page } = await openEditor('Extracted');
    await canvas(page).locator('[data-path="two"]').click();
    await page.getByRole('button', { name: 'Make a sub-workflow' }).click();
    const panel = page.getByRole('complementary', { name: 'Make a sub-workflow' });
    await panel.getByText('{{ nodes.one.outputs }}').waitFor();
    await panel.getByLabel('Name of the new workflow').fill('Second step');
    await panel.getByRole('button', { name: 'Make a sub-workflow' }).click();
    await page.getByText('The new workflow is made').waitFor();
    await expect.poll(() => readEdges(id), { timeout: 60_000 }).toEqual(['one sub-workflow', 'sub-workflow three']);
    const nodes = (await readDraft(id))?.nodes ?? [];
    const { data } = await running.api.graphql<{
      workflows: { edges: { node: { databaseId: number; blob: Blob } }[] };
    }>(
      'query { workflows(first: 5, filter: { search: "Second step" }) { edges { node { databaseId blob } } } }',
      {},
      as,
    );
    const [made] = data?.workflows.edges ?? [];
    expect(nodes.find(({ id: each }) => each === 'sub-workflow')?.config).toMatchObject({
      workflow_id: made?.node.databaseId,
      payload: { one: '{{ nodes.one.outputs }}' },
    });
    expect(nodes.find(({ id: each }) => each === 'three')?.config).toEqual({
      values: { value: '{{ nodes.sub-workflow.outputs.result.two.value }}' },
    });
    expect(made?.node.blob.nodes.map(({ id: each }) => each)).toEqual(['two', 'respond']);
  });
});

type Box = { x: number; y: number; width: number; height: number } | null;

/** The middle of a box, from the corner of the element. */
async function middle(element: ReturnType<typeof canvas>, box: Box): Promise<{ x: number; y: number }> {
  const around = await element.boundingBox();
  if (!around || !box) throw new Error('Nothing is drawn.');
  return { x: box.x + box.width / 2 - around.x, y: box.y + box.height / 2 - around.y };
}
