import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { tabTo } from '#test/console/commerce/signed-in.ts';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { openSignedIn, test } from '#test/setup/console-test.ts';
import type { TestConsole } from '#test/setup/console.ts';
import { EditedWorkflow, findCanvas, makeBlob, savedState, setNode } from './editor-page.ts';

const panel = (page: Page) => page.getByRole('complementary');
const drawn = (page: Page, path: string) => findCanvas(page).locator(`[data-path="${path}"]`);

async function open(context: BrowserContext, { url }: TestConsole, workflow: EditedWorkflow): Promise<Page> {
  const page = await openSignedIn(context, `${url}t/acme-shop/workflows/${workflow.id.replaceAll('=', '')}`);
  await page.getByRole('link', { name: 'Open the editor' }).click();
  await drawn(page, 'two').waitFor();
  return page;
}

type Drawn = Record<string, { x: number; y: number } | undefined>;

async function places(workflow: EditedWorkflow): Promise<Drawn> {
  const { draft } = await workflow.read();
  const nodes = (draft?.blob.nodes ?? []) as unknown as { id: string; position?: { x: number; y: number } }[];
  return Object.fromEntries(nodes.map(({ id, position }) => [id, position]));
}

const blob = () =>
  makeBlob(
    [setNode('one', { a: 1 }), setNode('two', {}, 240), setNode('three', {}, 480)],
    [
      ['one', 'two'],
      ['two', 'three'],
    ],
  );

describe.skipIf(browserIsMissing)(`The editor${skippedSuffix}`, { timeout: 300_000 }, () => {
  test('closes what was opened by Back, whatever was looked at in it, and says in the head which workflow it is', async ({
    served,
    context,
  }) => {
    const workflow = await EditedWorkflow.create(served, 'Back and forth', blob());
    const page = await open(context, served, workflow);
    await page.getByRole('banner').getByText('Back and forth').waitFor();
    expect(await page.title()).toContain('Back and forth');
    await drawn(page, 'one').dblclick();
    await panel(page).getByRole('heading', { name: 'one' }).waitFor();
    await drawn(page, 'two').dblclick();
    await panel(page).getByRole('heading', { name: 'two' }).waitFor();
    await page.getByRole('button', { name: 'Try it' }).click();
    await panel(page).getByRole('heading', { name: 'Try it' }).waitFor();
    await page.goBack();
    await panel(page).waitFor({ state: 'detached' });
    await drawn(page, 'two').waitFor();

    // Closing takes the entry back, so that Back leads out of the editor.
    await drawn(page, 'one').dblclick();
    await panel(page).getByRole('button', { name: 'Close' }).click();
    await panel(page).waitFor({ state: 'detached' });
    await page.goBack();
    await page.getByRole('link', { name: 'Open the editor' }).waitFor();
    await page.goForward();
    await page.goForward();
    await panel(page).getByRole('heading', { name: 'one' }).waitFor();
  });

  test('keeps a node under the pointer while the save of another person arrives', async ({ served, context }) => {
    const workflow = await EditedWorkflow.create(served, 'Dragged', blob());
    const page = await open(context, served, workflow);
    const box = await drawn(page, 'two').boundingBox();
    if (!box) throw new Error('Nothing is drawn.');
    await page.mouse.move(box.x + 60, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + 60, box.y + 90, { steps: 4 });
    await page.mouse.move(box.x + 60, box.y + 140, { steps: 4 });
    const held = await drawn(page, 'two').boundingBox();
    await served.api.graphql(
      'mutation ($input: SaveWorkflowDraftInput!) { saveWorkflowDraft(input: $input) { __typename } }',
      {
        input: {
          workflowId: workflow.id,
          version: 0,
          baseRevision: 1,
          blob: { ...blob(), nodes: [...blob().nodes, setNode('theirs', {}, 720)] },
        },
      },
      { tenant: 'acme-shop', roles: ['admin'] },
    );
    await drawn(page, 'theirs').waitFor();
    expect(await drawn(page, 'two').boundingBox()).toEqual(held);
    await page.mouse.up();
    await savedState(page).waitFor();
    await expect.poll(async () => (await places(workflow))['two']?.y, { timeout: 30_000 }).toBeGreaterThan(100);
    expect(Object.keys(await places(workflow))).toContain('theirs');
  });

  test('selects several nodes, moves them, and removes a note by keyboard alone', async ({ served, context }) => {
    const workflow = await EditedWorkflow.create(served, 'By keyboard alone', blob());
    const page = await open(context, served, workflow);
    await tabTo(page, findCanvas(page));
    await page.keyboard.press('ArrowRight');
    await page
      .getByRole('status')
      .filter({ hasText: /^one, / })
      .waitFor();
    await page.keyboard.press('Shift+Space');
    await page.keyboard.press('ArrowRight');
    await page.getByRole('toolbar').getByText('2 selected').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('status').filter({ hasText: '2 selected. three' }).waitFor();
    await page.keyboard.press('Control+ArrowDown');
    await page.keyboard.press('Control+Shift+ArrowDown');
    await expect
      .poll(() => places(workflow), { timeout: 30_000 })
      .toMatchObject({ one: { y: 96 }, two: { y: 0 }, three: { y: 96 } });
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByRole('toolbar').getByText('2 selected').waitFor();
    await page.keyboard.press('Control+z');
    await expect.poll(() => places(workflow), { timeout: 30_000 }).toMatchObject({ one: { y: 0 }, three: { y: 0 } });

    await page.getByRole('button', { name: 'Add a note' }).click();
    const note = findCanvas(page).getByRole('textbox', { name: 'Note' });
    await tabTo(page, note);
    await page.keyboard.type('Ask the shop');
    await page.keyboard.press('Escape');
    await page.getByRole('status').filter({ hasText: 'Note: Ask the shop' }).waitFor();
    await page.keyboard.press('Control+ArrowRight');
    await page.keyboard.press('Delete');
    await note.waitFor({ state: 'detached' });
  });

  test('adds the next node after a node that was renamed, and in the place of one that was taken back', async ({
    served,
    context,
  }) => {
    const workflow = await EditedWorkflow.create(served, 'Added in a row', blob());
    const page = await open(context, served, workflow);
    const add = async (name: string) => {
      await page.getByRole('button', { name: 'Add a node' }).click();
      await panel(page).getByRole('searchbox').fill(name);
      await page.keyboard.press('Enter');
      await panel(page).waitFor({ state: 'detached' });
    };
    const leads = async () =>
      (await workflow.read()).draft?.blob.edges
        .map(({ from, to }) => `${(from as { node: string }).node} ${to}`)
        .toSorted();
    await drawn(page, 'three').dblclick();
    await panel(page).getByLabel('Id').fill('end');
    // The press that leaves the field is heard as well.
    await panel(page)
      .getByLabel(/^Try again at most/)
      .click();
    await panel(page).getByRole('heading', { name: 'end' }).waitFor();
    await page.keyboard.press('ArrowUp');
    await expect
      .poll(() =>
        panel(page)
          .getByLabel(/^Try again at most/)
          .inputValue(),
      )
      .toBe('1');
    // The form gives way to the palette, whose search is typed into at once.
    await page.getByRole('button', { name: 'Add a node' }).click();
    await panel(page).getByRole('searchbox').waitFor();
    await page.keyboard.type('filter');
    await expect.poll(() => panel(page).getByRole('searchbox').inputValue()).toBe('filter');
    await page.keyboard.press('Enter');
    await expect.poll(leads, { timeout: 30_000 }).toEqual(['end filter', 'one two', 'two end']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await drawn(page, 'filter').waitFor({ state: 'detached' });
    await add('wait');
    await expect.poll(leads, { timeout: 30_000 }).toEqual(['end wait', 'one two', 'two end']);
  });

  test('adds what is clicked in the data to JSON that nobody has touched, and keeps it JSON', async ({
    served,
    context,
  }) => {
    const workflow = await EditedWorkflow.create(served, 'Untouched', blob());
    const page = await open(context, served, workflow);
    await page.setViewportSize({ width: 1440, height: 900 });
    await drawn(page, 'two').dblclick();
    const values = panel(page).getByRole('textbox', { name: /^Values/ });
    await values.fill('{"b": 2}');
    await panel(page).getByRole('button', { name: 'Close' }).click();
    await drawn(page, 'two').dblclick();
    await page
      .getByRole('tree')
      .getByRole('treeitem', { name: /^handle/ })
      .click();
    await expect
      .poll(async () => (await workflow.read()).draft?.blob.nodes[1]?.config, { timeout: 30_000 })
      .toEqual({ values: { b: 2, handle: '{{ trigger.handle }}' } });
  });

  test('completes from a payload that was pasted before the first run, and tries expressions and the draft with it', async ({
    served,
    context,
  }) => {
    const workflow = await EditedWorkflow.create(served, 'Pasted', blob());
    const page = await open(context, served, workflow);
    await page.setViewportSize({ width: 1440, height: 900 });
    await drawn(page, 'two').dblclick();
    await page.getByText('Paste a sample payload').click();
    const sample = page.getByRole('textbox', { name: 'Sample payload, as JSON' });
    await sample.fill('{"order": {"number": ');
    await page.getByText('This is no JSON yet').waitFor();
    await sample.fill('{"order": {"number": "SO-1001"}}');
    await page
      .getByRole('tree')
      .getByRole('treeitem', { name: /^number.*SO-1001/ })
      .click();
    await panel(page).locator('[data-field="values"] output').getByText('SO-1001').waitFor();
    await page.getByRole('button', { name: 'Try it' }).click();
    await expect
      .poll(() => panel(page).getByLabel('Payload of the trigger, as JSON').inputValue())
      .toContain('SO-1001');
  });
});
