import type { Browser, Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { openPage, tabTo } from '#test/console/commerce/signed-in.ts';
import { test } from '#test/setup/app-test.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { patient } from '#test/setup/console-test.ts';
import { startTestConsole, type TestConsole } from '#test/setup/console.ts';
import { chain, fireRun, node, readyWorkflow, startTestEngine, untilRun } from '#test/setup/engine.ts';
import { type HeldErp, startHeldErp } from './held-erp.ts';

let running: TestConsole;
let browser: Browser;
let erp: HeldErp;
let engine: Awaited<ReturnType<typeof startTestEngine>>;

// It leaves a call under way after a moment, as a process does that is ended.
const startEngine = () => startTestEngine(running.api, { allow: erp.address, drainMs: 100 });

test.beforeAll(async ({ database }) => {
  if (browserIsMissing) return;
  [running, browser, erp] = await Promise.all([startTestConsole(database.url), launchBrowser(), startHeldErp()]);
  engine = await startEngine();
}, 240_000);

test.afterAll(async () => {
  await browser?.close();
  await engine?.stop();
  await running?.close();
  await erp?.close();
});

/** Server and engine go away and come back. */
async function restart(whileDown: () => Promise<void>): Promise<void> {
  await engine.stop();
  await running.restart(whileDown);
  engine = await startEngine();
}

/** A workflow that sends orders to the ERP, with a run that succeeded and one that failed. Answers the latter. */
async function makeFailedRun(): Promise<number> {
  const workflow = await readyWorkflow(running.api, {
    nodes: [
      node('map', 'set', {
        values: { order: '{{ trigger.payload.order }}', quantity: '{{ trigger.payload.quantity }}' },
      }),
      node('send', 'http-request', { method: 'POST', url: erp.url, body: '{{ nodes.map.outputs }}' }),
      node('answer', 'respond', { value: '{{ nodes.send.outputs.body }}' }),
    ],
    edges: chain('map', 'send', 'answer'),
  });
  const fire = async (payload: object) => untilRun(running.api, await fireRun(running.api, workflow, payload));
  expect(await fire({ order: 'SO-1', quantity: 2 })).toMatchObject({ status: 'succeeded' });
  const id = await fireRun(running.api, workflow, { order: 'SO-2', quantity: 'two' });
  expect(await untilRun(running.api, id)).toMatchObject({ status: 'failed' });
  return id;
}

/** The page of a run says why it failed: the step, the answer of the ERP and what was sent to it. */
async function expectExplained(page: Page, failed: number): Promise<void> {
  await page.getByRole('heading', { name: `Run ${failed}` }).waitFor();
  await readState(page, 'Failed').waitFor();
  const step = page.getByRole('region', { name: 'send' });
  await step.getByText('answered 422').waitFor();
  await step.getByRole('tree', { name: 'Error' }).getByText('"quantity must be a number"').waitFor();
  await step.getByRole('tree', { name: 'Inputs' }).getByText('"two"').waitFor();
}

/** The state that stands beside the title of the page. */
const readState = (page: Page, state: string): Locator => page.locator('.page-title').getByText(state, { exact: true });

const suite = `Find a failed run, understand it, fix its payload, rerun it${skippedSuffix}`;
describe.skipIf(browserIsMissing)(suite, { timeout: 240_000 }, () => {
  test('with the mouse, while the server restarts under the new run', async () => {
    const failed = await makeFailedRun();
    const page = await openPage(browser, running, 'overview');
    await page.locator('.health-fact', { hasText: 'Failed' }).getByRole('link').click();
    await page
      .getByRole('grid')
      .getByRole('link', { name: String(failed) })
      .click();
    await expectExplained(page, failed);
    await page.getByRole('button', { name: 'Rerun with this payload' }).click();
    const panel = page.getByRole('complementary', { name: 'Rerun with this payload' });
    const payload = panel.getByLabel('Payload');
    await payload.fill((await payload.inputValue()).replace('"two"', '2'));
    erp.hold();
    const before = erp.calls();
    await panel.getByRole('button', { name: 'Rerun with this payload' }).click();
    await page.getByRole('heading', { name: `Run ${failed + 1}` }).waitFor();
    await expect.poll(erp.calls, patient).toBe(before + 1);
    await readState(page, 'Running').waitFor();
    await restart(async () => {
      await page.getByText('Offline').waitFor();
      expect(await readState(page, 'Running').count()).toBe(1);
    });
    await expect.poll(erp.calls, patient).toBe(before + 2);
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await readState(page, 'Running').count()).toBe(1);
    erp.release();
    await readState(page, 'Succeeded').waitFor();
    await page.getByRole('tree', { name: 'Result' }).getByText('"ERP-SO-2"').waitFor();
    await page.context().close();
  });

  test('by keyboard alone, while the server restarts under the form', async () => {
    const failed = await makeFailedRun();
    const page = await openPage(browser, running, 'runs');
    const { keyboard } = page;
    await tabTo(page, page.getByRole('button', { name: 'Status', exact: false }).first());
    await keyboard.press('Enter');
    await page.getByRole('menuitemcheckbox', { name: 'Failed' }).waitFor();
    await keyboard.type('Failed');
    await keyboard.press('Enter');
    await keyboard.press('Escape');
    await page.waitForURL(/status=FAILED/);
    await tabTo(page, page.getByRole('grid'));
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await expectExplained(page, failed);
    await tabTo(page, page.getByRole('button', { name: 'Rerun with this payload' }));
    await keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Rerun with this payload' });
    const payload = panel.getByLabel('Payload');
    await tabTo(page, payload);
    const fixed = (await payload.inputValue()).replace('"two"', '2');
    await keyboard.press('Control+a');
    await keyboard.type(fixed);
    await tabTo(page, panel.getByRole('button', { name: 'Rerun with this payload' }));
    await restart(async () => {
      await page.getByText('Offline').waitFor();
      await keyboard.press('Enter');
      await panel.getByText('The server did not answer').waitFor();
    });
    await page.getByText('Offline').waitFor({ state: 'hidden' });
    expect(await payload.inputValue()).toBe(fixed);
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: `Run ${failed + 1}` }).waitFor();
    await readState(page, 'Succeeded').waitFor();
    await page.getByRole('tree', { name: 'Result' }).getByText('"ERP-SO-2"').waitFor();
    await page.context().close();
  });
});
