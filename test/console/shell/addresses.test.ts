import { describe, expect } from 'vitest';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { openSignedIn, test } from '#test/setup/console-test.ts';

describe.skipIf(browserIsMissing)(`An address of the console${skippedSuffix}`, () => {
  test('without a tenant opens in the tenant of last time, with what it filters by', async ({ served, context }) => {
    const page = await openSignedIn(context, `${served.url}t/acme-outlet/overview`);
    await page.getByRole('button', { name: 'Tenant: Acme outlet' }).waitFor();
    await page.goto(`${served.url}runs?status=FAILED`);
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    expect(page.url()).toBe(`${served.url}t/acme-outlet/runs?status=FAILED`);
  });

  test('that names a tenant alone opens its overview', async ({ served, context }) => {
    const page = await openSignedIn(context, `${served.url}t/acme-outlet/runs`);
    for (const path of ['t/acme-outlet/', 't/acme-outlet']) {
      await page.goto(`${served.url}${path}`);
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      expect(page.url()).toBe(`${served.url}t/acme-outlet/overview`);
    }
  });

  test('that names nothing says so and leads on', async ({ served, context }) => {
    const page = await openSignedIn(context, `${served.url}nothing`);
    for (const path of ['nothing', 'not/so/deep/in/here', 't/acme-shop/nothing', 't/acme-shop/nothing/12']) {
      await page.goto(`${served.url}${path}`);
      await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
    }
    await page.locator('main').getByRole('link', { name: 'Overview' }).click();
    await page.waitForURL(/t\/acme-[a-z]+\/overview/);
  });
});
