import type { Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { startHeldErp } from '#test/console/automation/runs/held-erp.ts';
import { openPage, tabTo } from '#test/console/commerce/signed-in.ts';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { patient, test as base } from '#test/setup/console-test.ts';
import type { TestConsole } from '#test/setup/console.ts';
import { chain, fireRun, node, readyWorkflow } from '#test/setup/engine.ts';
import { openDraft } from './drafts.ts';

/** An ERP, and the engine that calls it. It leaves a call under way after a moment, as a process does that is ended. */
const test = base
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern which fixtures are asked for
  .extend('erp', { scope: 'file' }, async ({}, { onCleanup }) => {
    const erp = await startHeldErp();
    onCleanup(() => erp.close());
    return erp;
  })
  .extend('engine', { scope: 'file', auto: true }, ({ erp, startServedEngine }) =>
    startServedEngine({ allow: erp.address, drainMs: 100 }),
  );

/** A workflow whose first node reads a member of the payload that orders do not have. */
async function makeFaulty(running: TestConsole, erp: { url: string }) {
  const workflow = await readyWorkflow(running.api, {
    nodes: [
      node('map', 'set', {
        values: { order: '{{ trigger.payload.order }}', quantity: '{{ trigger.payload.number }}' },
      }),
      node('send', 'http-request', { method: 'POST', url: erp.url, body: '{{ nodes.map.outputs }}' }),
      node('answer', 'respond', { value: '{{ nodes.send.outputs.body }}' }),
    ],
    edges: chain('map', 'send', 'answer'),
  });
  const { data } = await running.api.graphql<{ workflow: { id: string } }>(
    'query ($id: ID!) { workflow(id: $id) { id } }',
    { id: workflow.workflowId },
    { tenant: 'acme-shop', roles: ['admin'] },
  );
  return { workflow, address: `editor/${data?.workflow.id.replaceAll('=', '')}` };
}

const order = (name: string) => JSON.stringify({ order: name, quantity: 2 });
const mended = '{"order": "{{ trigger.payload.order }}", "quantity": "{{ trigger.payload.quantity }}"}';

const drawn = (page: Page, path: string): Locator =>
  page.getByRole('group', { name: 'Graph of the workflow' }).locator(`[data-path="${path}"]`);
/** Opens the form of a node; beside another form the graph may be out of view. */
async function openNode(page: Page, path: string): Promise<void> {
  await page.getByRole('button', { name: 'Show all' }).click();
  await drawn(page, path).dblclick();
}

const bar = (page: Page): Locator => page.getByRole('region', { name: 'The run on the canvas' });
const panel = (page: Page): Locator => page.getByRole('complementary');
const lastStep = (page: Page): Locator => page.getByRole('region', { name: 'Last step' });
const saved = (page: Page) => page.getByRole('status').filter({ hasText: /^Saved$/ });

/** Starts what the panel describes, and waits for the run to end so. */
async function runIt(page: Page, press: (button: Locator) => Promise<void>, state: string): Promise<void> {
  const before = await bar(page)
    .getByText(/^Test run|^Run/)
    .allTextContents();
  await press(panel(page).getByRole('button', { name: 'Run it' }));
  await expect
    .poll(
      () =>
        bar(page)
          .getByText(/^Test run/)
          .allTextContents(),
      patient,
    )
    .not.toEqual(before);
  await bar(page).getByText(state, { exact: true }).waitFor();
}

describe.skipIf(browserIsMissing)(`Try a draft until it works${skippedSuffix}`, { timeout: 300_000 }, () => {
  test('by mouse', async ({ served, browser, erp }) => {
    const { workflow, address } = await makeFaulty(served, erp);
    const page = await openPage(browser, served, address);
    const click = (button: Locator) => button.click();

    await page.getByRole('button', { name: 'Try it' }).click();
    await panel(page).getByLabel('Payload of the trigger').fill(order('SO-1'));
    await runIt(page, click, 'Failed');
    await drawn(page, 'map').getByText('Succeeded').waitFor();
    await drawn(page, 'send').getByText('Failed').waitFor();
    expect(await drawn(page, 'answer').getByText('Succeeded').count()).toBe(0);

    await openNode(page, 'send');
    await lastStep(page)
      .getByText(/^POST .* answered 422\.$/)
      .waitFor();
    await openNode(page, 'map');
    const values = page.getByRole('textbox', { name: /^Values/ });
    // Emptied first: what replaces a coloured text would be given its colour by an inline style, which the policy refuses.
    await values.fill('');
    await values.fill(mended);
    await lastStep(page).getByText('Out of date').waitFor();
    await panel(page).getByRole('button', { name: 'Run from here' }).click();
    const calls = erp.calls();
    await runIt(page, click, 'Succeeded');
    expect(erp.calls()).toBe(calls + 1);

    await openNode(page, 'send');
    await lastStep(page).getByText('Executed').waitFor();
    await lastStep(page).getByRole('button', { name: 'Pin these outputs' }).click();
    await drawn(page, 'send').getByText('Pinned').waitFor({ state: 'attached' });
    await saved(page).waitFor();
    await openNode(page, 'answer');
    await panel(page).getByRole('button', { name: 'Run this node' }).click();
    await runIt(page, click, 'Succeeded');
    expect(erp.calls()).toBe(calls + 1);
    await openNode(page, 'send');
    await lastStep(page).getByText('Pinned', { exact: true }).first().waitFor();

    await page.getByRole('button', { name: 'Try it' }).click();
    expect(await panel(page).getByLabel('Payload of the trigger').inputValue()).toBe(order('SO-1'));
    await panel(page).getByLabel('The next real firing').check();
    await panel(page).getByRole('button', { name: 'Wait for it' }).click();
    await panel(page).getByText('Waiting for a request at').waitFor();
    await expect
      .poll(async () => {
        if (await panel(page).getByText('The firing has arrived').isVisible()) return true;
        await fireRun(served.api, workflow, { order: 'SO-9', quantity: 3 });
        return false;
      }, patient)
      .toBe(true);
    expect(await panel(page).getByLabel('Payload of the trigger').inputValue()).toContain('SO-9');
    // The part that was tried last is not meant, and without the pins the order is sent.
    expect(await panel(page).getByLabel('The whole draft').isChecked()).toBe(true);
    await panel(page).getByLabel(/pin/).uncheck();
    const before = erp.calls();
    await runIt(page, click, 'Succeeded');
    expect(erp.calls()).toBe(before + 1);
    await openNode(page, 'send');
    await lastStep(page).getByText('"ERP-SO-9"').first().waitFor({ state: 'attached' });
    await page.context().close();
  });

  test('which waits for the firing of a trigger until that is deleted', async ({ served, browser, erp }) => {
    const { workflow, address } = await makeFaulty(served, erp);
    const admin = { tenant: 'acme-shop', roles: ['admin'] };
    const page = await openPage(browser, served, `${address}?do=try`);
    await panel(page).getByLabel('The next real firing').check();
    await panel(page).getByRole('button', { name: 'Wait for it' }).click();
    await panel(page).getByText('Waiting for a request at').waitFor();
    const { data } = await served.api.graphql<{ workflow: { triggers: { id: string }[] } }>(
      'query ($id: ID!) { workflow(id: $id) { triggers { id } } }',
      { id: workflow.workflowId },
      admin,
    );
    for (const { id } of data?.workflow.triggers ?? [])
      await served.api.graphql(
        'mutation ($id: ID!) { deleteTrigger(input: { id: $id }) { __typename } }',
        { id },
        admin,
      );
    await panel(page).getByText('or the trigger was deleted').waitFor(patient);
    await page.context().close();
  });

  test('by keyboard alone, while the server restarts under the test run', async ({ served, browser, erp, engine }) => {
    const { address } = await makeFaulty(served, erp);
    const page = await openPage(browser, served, address);
    const { keyboard } = page;
    const enter = async (button: Locator) => {
      await tabTo(page, button);
      await keyboard.press('Enter');
    };
    const canvas = page.getByRole('group', { name: 'Graph of the workflow' });
    const described = (name: string) => page.getByRole('status').filter({ hasText: new RegExp(`^${name}[ ,:.]`) });

    await tabTo(page, canvas);
    await keyboard.press('t');
    await tabTo(page, panel(page).getByLabel('Payload of the trigger'));
    await keyboard.press('Control+a');
    await keyboard.type(order('SO-1'));
    await runIt(page, enter, 'Failed');

    await tabTo(page, canvas);
    // From the trigger, which is the first, along the edge.
    await keyboard.press('ArrowRight');
    await keyboard.press('ArrowRight');
    await described('map').waitFor();
    await keyboard.press('Enter');
    await tabTo(page, page.getByRole('textbox', { name: /^Values/ }));
    await keyboard.press('Control+a');
    await keyboard.insertText(mended);
    await saved(page).waitFor();
    await tabTo(page, canvas);
    await keyboard.press('f');
    erp.hold();
    const calls = erp.calls();
    await runIt(page, enter, 'Running');
    await expect.poll(erp.calls, patient).toBe(calls + 1);
    await engine.restart();
    await expect.poll(erp.calls, patient).toBe(calls + 2);
    erp.release();
    await bar(page).getByText('Succeeded', { exact: true }).waitFor();
    await tabTo(page, canvas);
    await keyboard.press('ArrowRight');
    await described('send').waitFor();
    await keyboard.press('Enter');
    await lastStep(page).getByText('"ERP-SO-1"').first().waitFor({ state: 'attached' });
    await page.context().close();
  });
});

test.skipIf(browserIsMissing)(
  `A test run tells of its end in the panel, and its page draws the draft that it ran${skippedSuffix}`,
  { timeout: 300_000 },
  async ({ served, browser }) => {
    const config = { namespace: '{{ trigger.payload.namespace }}', key: 'last', value: 1 };
    const { address } = await openDraft(served, 'Only a draft', [
      { id: 'keep', node: 'core:state-set', version: '^1.0.0', config },
    ]);
    const page = await openPage(browser, served, address);
    await page.getByRole('button', { name: 'Try it' }).click();
    await panel(page).getByLabel('Payload of the trigger').fill('{"namespace": "orders"}');
    await panel(page)
      .getByText(/^What a test run writes into the state store, it alone sees/)
      .waitFor();
    await runIt(page, (button) => button.click(), 'Failed');
    const result = panel(page).getByRole('region', { name: 'Result' });
    await result.getByText('Failed', { exact: true }).waitFor();
    await result.getByText(/^keep: This workflow does not declare the namespace orders/).waitFor();
    await result.getByRole('button', { name: 'Go to keep' }).click();
    await lastStep(page)
      .getByText(/^What a test run writes/)
      .waitFor();
    await lastStep(page)
      .getByRole('link', { name: /^Test run/ })
      .click();
    await page.getByRole('heading', { name: /^Test run \d/ }).waitFor();
    await page.getByText(/it ran the workflow as it was in the editor then/).waitFor();
    await page.getByRole('group', { name: 'Graph of the workflow' }).getByText('keep').first().waitFor();
    expect(await page.getByRole('button', { name: 'Rerun with this payload' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByText(/with the draft as it was then/).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Test' }).getByRole('link', { name: 'Open in the editor' }).click();
    await bar(page)
      .getByText(/^Test run/)
      .waitFor();
    await drawn(page, 'keep').getByText('Failed').waitFor();
    await page.context().close();
  },
);

test.skipIf(browserIsMissing)(
  `A test run shows what it gave below a long payload, the next one begins with that payload, and one that waits says where${skippedSuffix}`,
  { timeout: 300_000 },
  async ({ served, browser }) => {
    const { address } = await openDraft(served, 'Long payload', [
      {
        id: 'answer',
        node: 'core:respond',
        version: '^1.0.0',
        config: { value: { got: '{{ trigger.payload.name }}' } },
      },
    ]);
    const page = await openPage(browser, served, address);
    await page.setViewportSize({ width: 390, height: 700 });
    await page.getByRole('button', { name: 'Try it' }).click();
    const payload = panel(page).getByLabel('Payload of the trigger');
    const lines = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`line_${index}`, index]));
    await payload.fill(JSON.stringify({ name: 'SO-1', ...lines }, null, 2));
    await panel(page).getByRole('button', { name: 'Run it' }).click();
    const given = panel(page).getByRole('region', { name: 'Result' }).getByText('"SO-1"');
    await given.waitFor();
    await expect
      .poll(async () => {
        const box = await given.boundingBox();
        return box !== null && box.y > 0 && box.y + box.height < 700;
      })
      .toBe(true);

    await page.reload();
    await panel(page)
      .getByText(/^This is the payload of run \d+/)
      .waitFor();
    expect(await payload.inputValue()).toContain('"line_59": 59');
    await page.context().close();

    const { address: waiting } = await openDraft(served, 'Approved', [
      { id: 'approve', node: 'core:wait', version: '^1.0.0', config: { resume: true } },
    ]);
    const other = await openPage(browser, served, waiting);
    await other.getByRole('button', { name: 'Try it' }).click();
    await runIt(other, (button) => button.click(), 'Waiting');
    await panel(other).getByRole('button', { name: 'Go to approve' }).click();
    // The form stands in the step, which a phone shows as well.
    await other.setViewportSize({ width: 390, height: 844 });
    await lastStep(other).getByRole('link', { name: 'Resume the step' }).click();
    await other.getByRole('complementary', { name: 'Resume' }).getByRole('button', { name: 'Resume' }).click();
    await other.getByText('The run goes on.').waitFor();
    await other.context().close();
  },
);
