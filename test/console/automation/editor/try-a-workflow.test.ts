import type { Browser, Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { type HeldErp, startHeldErp } from '#test/console/automation/runs/held-erp.ts';
import { openPage } from '#test/console/commerce/signed-in.ts';
import { test } from '#test/setup/app-test.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { patient } from '#test/setup/console-test.ts';
import { startTestConsole, type TestConsole } from '#test/setup/console.ts';
import { chain, fireRun, node, readyWorkflow, startTestEngine } from '#test/setup/engine.ts';

let running: TestConsole;
let browser: Browser;
let erp: HeldErp;
let engine: Awaited<ReturnType<typeof startTestEngine>>;

test.beforeAll(async ({ database }) => {
  if (browserIsMissing) return;
  [running, browser, erp] = await Promise.all([startTestConsole(database.url), launchBrowser(), startHeldErp()]);
  engine = await startTestEngine(running.api, { allow: erp.address });
}, 240_000);

test.afterAll(async () => {
  await browser?.close();
  await engine?.stop();
  await running?.close();
  await erp?.close();
});

/** A workflow whose first node reads a member of the payload that orders do not have. */
async function makeFaulty() {
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
  test('by mouse', async () => {
    const { workflow, address } = await makeFaulty();
    const page = await openPage(browser, running, address);
    const click = (button: Locator) => button.click();

    await page.getByRole('button', { name: 'Try it' }).click();
    await panel(page).getByLabel('Payload of the trigger').fill(order('SO-1'));
    await runIt(page, click, 'Failed');
    await drawn(page, 'map').getByText('Succeeded').waitFor();
    await drawn(page, 'send').getByText('Failed').waitFor();
    expect(await drawn(page, 'answer').getByText('Succeeded').count()).toBe(0);

    await drawn(page, 'send').dblclick();
    await lastStep(page)
      .getByText(/^POST .* answered 422\.$/)
      .waitFor();
    await drawn(page, 'map').dblclick();
    await page.getByRole('textbox', { name: /^Values/ }).fill(mended);
    await lastStep(page).getByText('Out of date').waitFor();
    await panel(page).getByRole('button', { name: 'Run from here' }).click();
    const calls = erp.calls();
    await runIt(page, click, 'Succeeded');
    expect(erp.calls()).toBe(calls + 1);

    await drawn(page, 'send').dblclick();
    await lastStep(page).getByText('Executed').waitFor();
    await lastStep(page).getByRole('button', { name: 'Pin these outputs' }).click();
    await drawn(page, 'send').getByText('Pinned').waitFor({ state: 'attached' });
    await saved(page).waitFor();
    await drawn(page, 'answer').dblclick();
    await panel(page).getByRole('button', { name: 'Run this node' }).click();
    await runIt(page, click, 'Succeeded');
    expect(erp.calls()).toBe(calls + 1);
    await drawn(page, 'send').dblclick();
    await lastStep(page).getByText('Pinned', { exact: true }).first().waitFor();

    await page.getByRole('button', { name: 'Try it' }).click();
    await panel(page).getByLabel('The next real firing').check();
    await panel(page).getByRole('button', { name: 'Wait for it' }).click();
    await panel(page).getByText('Waiting for a request at').waitFor();
    await expect
      .poll(async () => {
        if (await panel(page).getByText('The firing has arrived').isVisible()) return true;
        await fireRun(running.api, workflow, { order: 'SO-9', quantity: 3 });
        return false;
      }, patient)
      .toBe(true);
    expect(await panel(page).getByLabel('Payload of the trigger').inputValue()).toContain('SO-9');
    await page.context().close();
  });
});
