import type { Browser } from 'playwright-core';
import { describe, expect } from 'vitest';
import { runBulkAction } from '#src/operations/bulk-actions/run-bulk-action.service.ts';
import { openPage } from '#test/console/commerce/signed-in.ts';
import { test } from '#test/setup/app-test.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
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
  await runBulkAction(running.api.services, { tenantId: 'acme-shop', bulkActionId: rows[0]?.id as number });
}

describe.skipIf(browserIsMissing)(`Replay 2,000 dead letters by filter${skippedSuffix}`, () => {
  test(
    'with the mouse: narrow the list to a workflow, see the count, and follow the action to its end',
    startsProcesses,
    async () => {
      const workflowId = await makeLetters('Orders to ERP', { pending: 2_000, discarded: 3 });
      const other = await makeLetters('Stock to shop', { pending: 5 });
      const page = await openPage(browser, running, 'runs');
      await page.getByRole('link', { name: 'Dead letters' }).first().click();
      await page.getByRole('button', { name: /^Workflow/ }).click();
      await page.getByRole('combobox', { name: 'Workflow' }).fill('Orders');
      await page.getByRole('option', { name: 'Orders to ERP' }).click();
      await page.getByRole('button', { name: 'Replay', exact: true }).click();
      await page.getByRole('button', { name: 'Replay 2,000 dead letters' }).click();
      await page.getByRole('heading', { name: /^Replay dead letters/ }).waitFor();
      await page.getByText('0 of 2,000 done, 0 refused').waitFor();
      await workOff();
      await page.getByText('2,000 of 2,000 done, 0 refused').waitFor();
      await page.getByText('Completed').waitFor();
      expect(await page.getByRole('button', { name: 'Stop here' }).count()).toBe(0);
      expect(await lettersByStatus(workflowId)).toEqual({ replayed: 2_000, discarded: 3 });
      expect(await lettersByStatus(other)).toEqual({ pending: 5 });
      await page.context().close();
    },
  );
});
