import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { account, test } from '#test/setup/console-test.ts';
import { chooseUser, type TestConsole } from '#test/setup/console.ts';
import { EditedWorkflow, findCanvas, makeBlob, setNode } from './editor-page.ts';

const ids = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];
const blob = (values: object = {}) =>
  makeBlob(
    ids.map((id, index) => setNode(id, id === 'first' ? values : {}, index * 240)),
    ids.slice(1).map((id, index): [string, string] => [ids[index] ?? '', id]),
  );

async function openNarrow(page: Page, served: TestConsole, workflow: EditedWorkflow, search = ''): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${served.url}t/acme-shop/editor/${workflow.id.replaceAll('=', '')}${search}`);
  await chooseUser(page);
  await account(page).waitFor();
}

async function box(locator: Locator) {
  const found = await locator.boundingBox();
  if (!found) throw new Error(`${String(locator)} is not drawn.`);
  return found;
}

/** Saves the draft as somebody else would. */
async function saveElsewhere({ api }: TestConsole, workflow: EditedWorkflow): Promise<void> {
  const input = { workflowId: workflow.id, version: 0, baseRevision: 1, blob: blob({ by: 'another' }) };
  const { data } = await api.graphql(
    'mutation ($input: SaveWorkflowDraftInput!) { saveWorkflowDraft(input: $input) { __typename } }',
    { input },
    { tenant: 'acme-shop', roles: ['admin'] },
  );
  expect(data).toMatchObject({ saveWorkflowDraft: { __typename: 'SaveWorkflowDraftPayload' } });
}

describe.skipIf(browserIsMissing)(`The editor on a phone${skippedSuffix}`, { timeout: 180_000 }, () => {
  test('begins where names can be read, with the commands in one row and no bar over another', async ({
    served,
    context,
  }) => {
    const page = await context.newPage();
    const workflow = await EditedWorkflow.create(served, 'Narrow', blob());
    await openNarrow(page, served, workflow);
    const first = findCanvas(page).locator('[data-path="first"]');
    await first.getByText('first', { exact: true }).waitFor();
    const { x, width } = await box(first);
    expect([x >= 0, x + width <= 390, width > 120]).toEqual([true, true, true]);
    const toolbar = page.getByRole('toolbar', { name: 'Graph of the workflow' });
    expect((await box(toolbar)).height).toBeLessThan(44);
    const publish = await box(toolbar.getByRole('button', { name: 'Publish' }));
    expect(publish.x + publish.width).toBeLessThanOrEqual(390);

    await first.click();
    const selection = await box(page.getByRole('toolbar', { name: 'For what is selected' }));
    const view = await box(page.getByRole('group', { name: 'View of the graph' }));
    expect(selection.y + selection.height).toBeLessThan(view.y);
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(async () => (await box(first)).width).toBeLessThan(120);
  });

  test('brings a node into view that is added beside it', async ({ served, context }) => {
    const page = await context.newPage();
    const workflow = await EditedWorkflow.create(served, 'Narrow and long', blob());
    await openNarrow(page, served, workflow);
    const canvas = findCanvas(page);
    await canvas.locator('[data-path="first"]').getByText('first', { exact: true }).waitFor();
    for (const name of ['Filter', 'Wait']) {
      await page.getByRole('button', { name: 'Add a node' }).click();
      await page.getByRole('searchbox').fill(name);
      await page.keyboard.press('Enter');
      const added = canvas.locator(`[data-path="${name.toLowerCase()}"]`);
      await added.waitFor();
      await expect
        .poll(async () => {
          const { x, width } = await box(added);
          return x >= 0 && x + width <= 390;
        })
        .toBe(true);
    }
  });

  test('shows the cells of a table one below the other, each as wide as the form', async ({ served, context }) => {
    const page = await context.newPage();
    const workflow = await EditedWorkflow.create(
      served,
      'Narrow table',
      blob({ order: '{{ trigger.payload.body.order_no }}', total: 1 }),
    );
    await openNarrow(page, served, workflow, '?node=first');
    await page.getByRole('button', { name: 'As a table' }).click();
    const [name, value] = [page.getByLabel('Name, row 1'), page.getByLabel('Value, row 1')];
    const [above, below] = [await box(name), await box(value)];
    expect(below.y).toBeGreaterThan(above.y + above.height);
    expect(Math.min(above.width, below.width)).toBeGreaterThan(280);
    expect((await box(page.getByRole('button', { name: 'Remove row 1' }))).y).toBeLessThan(below.y);
  });

  test('draws two revisions above what tells them apart', async ({ served, context }) => {
    const page = await context.newPage();
    const workflow = await EditedWorkflow.create(served, 'Narrow revisions', blob());
    await workflow.publish(blob({ by: 'revision 2' }), 'More');
    await openNarrow(page, served, workflow, '?do=revisions&from=1&to=2');
    const drawing = page.getByRole('group', { name: 'Revision 1 compared with Revision 2' });
    await drawing.getByText('first', { exact: true }).waitFor();
    const list = await box(page.getByRole('complementary', { name: 'Revisions' }));
    expect((await box(drawing)).height).toBeGreaterThan(200);
    expect(list.height).toBeGreaterThan(200);
  });

  test('shows the choice between two edits above the form that is open', async ({ served, context }) => {
    const page = await context.newPage();
    const workflow = await EditedWorkflow.create(served, 'Narrow conflict', blob());
    await openNarrow(page, served, workflow, '?node=first');
    const panel = page.getByRole('complementary');
    await panel.getByLabel(/^Values/).waitFor();
    await context.setOffline(true);
    await panel.getByLabel(/^Values/).fill('{"by": "me"}');
    await page.getByText('The server cannot be reached.').waitFor();
    await saveElsewhere(served, workflow);
    await context.setOffline(false);
    await page.getByRole('heading', { name: 'Two edits disagree' }).waitFor();
    await panel.getByLabel('Id').waitFor();
    await page.getByRole('button', { name: 'Keep all of yours' }).click();
    await expect.poll(async () => (await workflow.read()).draft?.blob.nodes[0]?.config['values']).toEqual({ by: 'me' });
  });
});
