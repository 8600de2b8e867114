import { expect } from 'vitest';
import { makeOwned } from '#test/graphql/owned-objects.ts';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { openSignedIn, test } from '#test/setup/console-test.ts';

test.skipIf(browserIsMissing)(
  `an action on the selected rows is not taken on rows that a newer filter hides${skippedSuffix}`,
  { timeout: 240_000 },
  async ({ served, context }) => {
    await makeOwned(served.api);
    const page = await openSignedIn(context, `${served.url}t/acme-shop/runs`);
    const grid = page.getByRole('grid');
    const row = await grid.getByRole('link').first().innerText();
    await grid.getByRole('checkbox').first().check();
    await page.getByText('1 selected').waitFor();
    // Back and forth, so that the row is shown again.
    for (const search of [row, 'no such run', '']) {
      await page.getByPlaceholder('Workflow, error or run id').fill(search);
      await page.waitForFunction((text) => (new URLSearchParams(location.search).get('q') ?? '') === text, search);
      await page.getByText('1 selected').waitFor({ state: 'hidden' });
    }
    await grid.getByRole('checkbox').first().waitFor();
    expect(await grid.getByRole('checkbox', { checked: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Rerun' }).click();
    await page.getByRole('complementary', { name: 'Rerun' }).waitFor();
    expect(await page.getByRole('radio', { name: 'Only the selected' }).count()).toBe(0);
  },
);
