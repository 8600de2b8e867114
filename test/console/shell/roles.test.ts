import { describe, expect } from 'vitest';
import { makeOwned } from '#test/graphql/owned-objects.ts';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { account, patient, test } from '#test/setup/console-test.ts';
import { chooseUser } from '#test/setup/console.ts';

describe.skipIf(browserIsMissing)(`Roles in the console${skippedSuffix}`, { timeout: 240_000 }, () => {
  test('offer no more than the server allows', async ({ served, context }) => {
    await makeOwned(served.api);
    const page = await context.newPage();
    const offered = async (address: string) => {
      await page.goto(`${served.url}t/acme-shop/${address}`);
      await page.locator('main h1').waitFor();
      await page.getByRole('button', { name: 'Download CSV' }).or(page.getByText('Price strategy')).first().waitFor();
      return () => page.locator('.page-actions').locator('button, a').allInnerTexts();
    };
    await page.goto(`${served.url}t/acme-shop/api-keys`);
    await chooseUser(page, { role: 'User' });
    await account(page, 'User').waitFor();
    await expect.poll(await offered('api-keys'), patient).toEqual(['Download CSV']);
    await expect.poll(await offered('imports'), patient).toEqual(['Download CSV']);
    await expect.poll(await offered('commerce-settings'), patient).toEqual([]);
    // A user may retry runs, and so can select them.
    await expect.poll(await offered('runs'), patient).toEqual(['Retry', 'Rerun', 'Cancel runs', 'Download CSV']);
    expect(await page.getByRole('checkbox').count()).toBeGreaterThan(0);
    // An address that opens a form opens none that could not be sent, and says so.
    for (const address of ['api-keys?do=create', 'commerce-settings?do=edit', 'retention?do=edit']) {
      await page.goto(`${served.url}t/acme-shop/${address}`);
      await page.getByRole('alert').getByText('your role does not allow it').waitFor();
      expect(await page.getByRole('complementary').count()).toBe(0);
    }
    // A page that the role refuses says which one is needed, and leads on instead of trying in vain.
    await page.goto(`${served.url}t/acme-shop/api-keys`);
    await page.getByRole('alert').getByText('This needs the role admin').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Go to the start page' }).click();
    await page.waitForURL(/acme-shop\/overview/);
  });
});
