import { describe, expect } from 'vitest';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { account, openSignedIn, test } from '#test/setup/console-test.ts';
import { chooseUser } from '#test/setup/console.ts';

describe.skipIf(browserIsMissing)(`The tenants of a user${skippedSuffix}`, { timeout: 240_000 }, () => {
  test('are told to be none, with what to do', async ({ served, context }) => {
    await served.api.database.global.org.create({ data: { id: 'empty', name: 'Empty' } });
    const page = await context.newPage();
    await page.goto(served.url);
    await chooseUser(page, { place: 'empty' });
    await account(page).waitFor();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.getByRole('navigation', { name: 'Places' }).count()).toBe(0);
    expect(await page.locator('main').innerText()).toContain('tenant');
  });

  test('are found among 500 by a few letters, and opened by keyboard', async ({ served, context }) => {
    const names = Array.from({ length: 500 }, (_, index) => `Branch ${String(index).padStart(3, '0')}`);
    await served.api.database.global.tenant.createMany({
      data: names.map((name, index) => ({ id: `branch-${index}`, orgId: 'acme', name })),
    });
    const page = await openSignedIn(context, `${served.url}t/acme-shop/orders`);
    await page.getByRole('button', { name: 'Tenant: Acme shop' }).click();
    await page.getByRole('menuitem').nth(500).waitFor({ state: 'attached' });
    expect(await page.getByRole('menuitem').count()).toBe(502);
    await page.keyboard.type('branch 317');
    await page.getByRole('menuitem').nth(1).waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Tenant: Branch 317' }).waitFor();
    expect(page.url()).toContain('/t/branch-317/orders');
  });
});
