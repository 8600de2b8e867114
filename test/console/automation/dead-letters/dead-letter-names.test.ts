import { describe, expect } from 'vitest';
import { makeOwned } from '#test/graphql/owned-objects.ts';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { openSignedIn, test } from '#test/setup/console-test.ts';

describe.skipIf(browserIsMissing)(`A dead letter${skippedSuffix}`, { timeout: 180_000 }, () => {
  test('names its workflow and its trigger in the list, and leads to their pages', async ({ served, context }) => {
    await makeOwned(served.api);
    const page = await openSignedIn(context, `${served.url}t/acme-shop/dead-letters`);
    const row = page.locator('main [role=row]').nth(1);
    await row.getByRole('link', { name: 'Private' }).waitFor();
    await row.getByRole('link', { name: 'Hook' }).click();
    await page.getByRole('heading', { name: 'Hook' }).waitFor();
    expect(page.url()).toContain('/triggers/');
  });

  test('says so where its trigger is deleted', async ({ served, context }) => {
    await served.api.database.system.query("DELETE FROM triggers WHERE name = 'Hook'");
    const page = await openSignedIn(context, `${served.url}t/acme-shop/dead-letters`);
    await page.locator('main [role=row]').nth(1).getByText('Deleted').waitFor();
  });
});
