import type { Browser, BrowserContext, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { tabTo } from '#test/console/commerce/signed-in.ts';
import { test } from '#test/setup/app-test.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { chooseUser, startTestConsole, type TestConsole } from '#test/setup/console.ts';

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

const timeout = 600_000;
const as = { tenant: 'acme-shop', roles: ['admin'] };

async function createWorkflow(name: string): Promise<string> {
  const { data } = await running.api.graphql<{ createWorkflow: { workflow: { id: string } } }>(
    'mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { ... on CreateWorkflowPayload { workflow { id } } } }',
    { input: { name, blob: { version: 'v1', nodes: [], edges: [] } } },
    as,
  );
  return data?.createWorkflow.workflow.id ?? '';
}

async function countNodes(id: string): Promise<number> {
  const { data } = await running.api.graphql<{ workflow: { draft: { blob: { nodes: unknown[] } } | null } }>(
    'query ($id: ID!) { workflow(id: $id) { draft { blob } } }',
    { id },
    as,
  );
  return data?.workflow.draft?.blob.nodes.length ?? 0;
}

const canvas = (page: Page) => page.getByRole('group', { name: 'Graph of the workflow' });

async function openEditor(context: BrowserContext, id: string, isFirst: boolean): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(`${running.url}t/acme-shop/editor/${id.replaceAll('=', '')}`);
  if (isFirst) await chooseUser(page);
  await tabTo(page, canvas(page));
  return page;
}

/** Adds a node with the keyboard. The edit is made once the palette is closed. */
async function addNode(page: Page): Promise<void> {
  await canvas(page).focus();
  await page.keyboard.press('a');
  await page.getByRole('searchbox').fill('core:set ');
  await page.keyboard.press('Enter');
  await page.getByRole('searchbox').waitFor({ state: 'detached' });
}

describe('an edit in the browser', () => {
  test.skipIf(browserIsMissing)(
    `is not lost when tab, network and server end at any moment${skippedSuffix}`,
    { timeout },
    async () => {
      const id = await createWorkflow('Faults');
      const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1440, height: 900 } });
      let page = await openEditor(context, id, true);
      let edits = 0;
      const faults = ['tab', 'network', 'tab', 'server', 'tab', 'network and tab'] as const;
      for (const [round, fault] of faults.entries()) {
        await addNode(page);
        edits += 1;
        // Before, during and after the save, which begins 400 ms after the edit.
        await page.waitForTimeout((round * 274) % 900);
        if (fault.startsWith('network')) {
          running.server.shut();
          await addNode(page);
          edits += 1;
        }
        if (fault === 'server') await running.restart();
        if (fault.endsWith('tab')) await page.close();
        if (fault.startsWith('network')) running.server.open();
        if (fault.endsWith('tab')) page = await openEditor(context, id, false);
      }
      await expect.poll(() => countNodes(id), { timeout: 120_000 }).toBe(edits);
      await page
        .getByRole('status')
        .filter({ hasText: /^Saved$/ })
        .waitFor();
      await context.close();
    },
  );

  test.skipIf(browserIsMissing)(
    `goes on where the browser keeps nothing, and this is said${skippedSuffix}`,
    { timeout },
    async () => {
      const id = await createWorkflow('No room');
      const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1440, height: 900 } });
      const page = await openEditor(context, id, true);
      await page.evaluate(() => {
        Storage.prototype.setItem = () => {
          throw new DOMException('Full', 'QuotaExceededError');
        };
      });
      await addNode(page);
      await page.getByRole('status').filter({ hasText: 'This browser has no room to keep' }).waitFor();
      await expect.poll(() => countNodes(id), { timeout: 60_000 }).toBe(1);
      await page.getByRole('status').filter({ hasText: 'Saved. This browser has no room' }).waitFor();
      await expect.poll(() => page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
      await context.close();
    },
  );

  test.skipIf(browserIsMissing)(
    `of a user whose role was taken away is kept, and saved once it is back${skippedSuffix}`,
    { timeout },
    async () => {
      const id = await createWorkflow('Role taken away');
      const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1440, height: 900 } });
      const page = await openEditor(context, id, true);
      const viewer = `Bearer ${await running.api.token({ roles: ['viewer'] })}`;
      await page.route('**/graphql', (route) =>
        route.continue({ headers: { ...route.request().headers(), authorization: viewer } }),
      );
      await addNode(page);
      await page.getByRole('status').filter({ hasText: 'Not saved: your role may no longer edit' }).waitFor();
      await page.unrouteAll();
      await page.getByRole('button', { name: 'Try again' }).click();
      await expect.poll(() => countNodes(id), { timeout: 60_000 }).toBe(1);
      await context.close();
    },
  );
});
