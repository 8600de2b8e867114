import type { Browser, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { buildWorkflowJob } from '#src/automation/workflows/workflows.declarations.ts';
import { deadJobsQueue } from '#src/infra/jobs.ts';
import { test } from '#test/setup/app-test.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { chooseUser, startTestConsole, type TestConsole } from '#test/setup/console.ts';
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

/** Makes failed jobs as pg-boss keeps them. */
const makeJobs = (tenantId: string, count: number) =>
  running.api.database.system.query(
    `INSERT INTO pgboss.job (name, data, source_name, source_id, source_created_on, source_retry_count, source_output)
     SELECT $1, jsonb_build_object('tenantId', $2::text, 'number', n), $3, gen_random_uuid(), now(), 3, '{"message": "no such package"}'
     FROM generate_series(1, $4::int) AS n`,
    [deadJobsQueue, tenantId, buildWorkflowJob.name, count],
  );

/** How many jobs of a tenant failed, and how many are in their queue again. */
async function countJobs(tenantId: string): Promise<{ failed: number; queued: number }> {
  const { rows } = await running.api.database.system.query<{ failed: number; queued: number }>(
    `SELECT count(*) FILTER (WHERE name = $1)::int AS failed, count(*) FILTER (WHERE name = $2)::int AS queued
     FROM pgboss.job WHERE data ->> 'tenantId' = $3`,
    [deadJobsQueue, buildWorkflowJob.name, tenantId],
  );
  return rows[0] as { failed: number; queued: number };
}

async function openAsOperator(): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(running.url);
  await chooseUser(page, { role: 'Operator' });
  return page;
}

describe.skipIf(browserIsMissing)(`Failed jobs${skippedSuffix}`, () => {
  test(
    'are found by an operator, who is in no tenant: one is retried from its page, others by their filter',
    startsProcesses,
    async () => {
      await makeJobs('acme-shop', 1);
      await makeJobs('third-shop', 1);
      await makeJobs('other-shop', 12);
      const page = await openAsOperator();
      await page.getByRole('heading', { name: 'Organisations' }).waitFor();
      await page.getByRole('link', { name: 'Failed jobs' }).click();
      await page.getByLabel('Tenant').fill('acme-shop');
      const links = page.getByRole('link', { name: buildWorkflowJob.name });
      await expect.poll(() => links.count(), { timeout: 60_000 }).toBe(1);
      await links.click();
      await page.getByText('no such package').waitFor();
      await page.getByRole('button', { name: 'Retry' }).click();
      await page.getByRole('button', { name: 'Retry' }).last().click();
      await page.getByText('The job is in its queue again.').waitFor();
      expect(await countJobs('acme-shop')).toEqual({ failed: 0, queued: 1 });

      await page.getByRole('link', { name: 'Failed jobs' }).first().click();
      await page.getByLabel('Tenant').fill('other-shop');
      await page.getByRole('button', { name: 'Retry', exact: true }).click();
      await page.getByRole('button', { name: 'Retry 12 jobs' }).click();
      await page.getByText('0 of 12 done, 0 refused').waitFor();
      expect(await countJobs('other-shop')).toEqual({ failed: 12, queued: 0 });
      await page.context().close();
    },
  );
});
