import type { Browser, Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { runBulkAction } from '#src/operations/bulk-actions/run-bulk-action.service.ts';
import { openPage, tabTo } from '#test/console/commerce/signed-in.ts';
import { test } from '#test/setup/app-test.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { patient } from '#test/setup/console-test.ts';
import { startTestConsole, type TestConsole } from '#test/setup/console.ts';
import { node, readyWorkflow } from '#test/setup/engine.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';

let running: TestConsole;
let browser: Browser;

test.beforeAll(async ({ database }) => {
  if (browserIsMissing) return;
  [running, browser] = await Promise.all([startTestConsole(database.url), launchBrowser()]);
});

test.afterAll(async () => {
  await browser?.close();
  await running?.close();
});

/** A workflow with dead letters of the given states: how many of each. */
async function makeLetters(name: string, counts: Readonly<Record<string, number>>): Promise<number> {
  const { workflowId, handle } = await readyWorkflow(running.api, { nodes: [node('a', 'set')] });
  const { system } = running.api.database;
  await system.query('UPDATE workflows SET name = $2 WHERE id = $1', [workflowId, name]);
  for (const [status, count] of Object.entries(counts))
    await system.query(
      `WITH made AS (
         INSERT INTO dead_letters (tenant_id, workflow_id, trigger_id, source, trigger_handle, reason, status)
         SELECT 'acme-shop', $1, 1, 'webhook', $2, 'Workflow bundle is not ready.', $3 FROM generate_series(1, $4::int) RETURNING id
       ) INSERT INTO dead_letter_payloads (tenant_id, dead_letter_id, payload) SELECT 'acme-shop', id, '{"order": 12}' FROM made`,
      [workflowId, handle, status, count],
    );
  return workflowId;
}

async function lettersByStatus(workflowId: number): Promise<Record<string, number>> {
  const { rows } = await running.api.database.system.query<{ status: string; count: number }>(
    'SELECT status, count(*)::int AS count FROM dead_letters WHERE workflow_id = $1 GROUP BY 1',
    [workflowId],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** Does what a worker does with the action that was started last. */
async function workOff(): Promise<void> {
  const { rows } = await running.api.database.system.query<{ id: number }>('SELECT max(id) AS id FROM bulk_actions');
  const bulkActionId = rows[0]?.id as number;
  // No engine executes the runs that it starts, whose ends a worker would wait for.
  await runBulkAction(running.api.services, { tenantId: 'acme-shop', bulkActionId }, { judgeMs: 0 });
}

/** 2,000 dead letters to replay, and others that the filter must leave as they are. */
async function makeMixedLetters(name: string, otherName: string) {
  const wanted = await makeLetters(name, { pending: 2_000, discarded: 3 });
  const other = await makeLetters(otherName, { pending: 5 });
  return { wanted, other };
}

/** The page follows the action that was started to its end, which has changed what matched the filter and nothing else. */
async function expectReplayed(page: Page, { wanted, other }: Awaited<ReturnType<typeof makeMixedLetters>>) {
  await page.getByRole('heading', { name: /^Replay dead letters/ }).waitFor();
  await page.getByText('0 of 2,000 done, 0 refused').waitFor();
  await workOff();
  await page.getByText('2,000 of 2,000 done, 0 refused').waitFor();
  await page.getByText('Completed').waitFor();
  expect(await page.getByRole('button', { name: 'Stop here' }).count()).toBe(0);
  expect(await lettersByStatus(wanted)).toEqual({ replayed: 2_000, discarded: 3 });
  expect(await lettersByStatus(other)).toEqual({ pending: 5 });
  await page.context().close();
}

const suite = `Replay 2,000 dead letters by filter${skippedSuffix}`;
describe.skipIf(browserIsMissing)(suite, startsProcesses, () => {
  test('with the mouse', async () => {
    const letters = await makeMixedLetters('Orders to ERP', 'Stock to shop');
    const page = await openPage(browser, running, 'runs');
    await page.getByRole('link', { name: 'Dead letters' }).first().click();
    await page.getByRole('button', { name: /^Workflow/ }).click();
    await page.getByRole('combobox', { name: 'Workflow' }).fill('Orders');
    await page.getByRole('option', { name: 'Orders to ERP' }).click();
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByRole('button', { name: 'Replay 2,000 dead letters' }).click();
    await expectReplayed(page, letters);
  });

  test('by keyboard alone', async () => {
    const letters = await makeMixedLetters('Returns to ERP', 'Prices to shop');
    const page = await openPage(browser, running, 'runs');
    const { keyboard } = page;
    const press = async (target: Locator) => {
      await tabTo(page, target);
      await keyboard.press('Enter');
    };
    await press(page.getByRole('link', { name: 'Dead letters' }).first());
    await press(page.getByRole('button', { name: /^Workflow/ }));
    await page.getByRole('combobox', { name: 'Workflow' }).and(page.locator(':focus')).waitFor();
    await keyboard.type('Returns');
    await expect.poll(() => page.getByRole('option').allInnerTexts(), patient).toEqual(['Returns to ERP']);
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await page.waitForURL(/workflow=/);
    await press(page.getByRole('button', { name: 'Replay', exact: true }));
    await press(page.getByRole('button', { name: 'Replay 2,000 dead letters' }));
    await expectReplayed(page, letters);
  });
});
