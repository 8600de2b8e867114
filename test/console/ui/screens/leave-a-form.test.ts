import { describe, expect } from 'vitest';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { openSignedIn, test } from '#test/setup/console-test.ts';

describe.skipIf(browserIsMissing)(`A form that is not sent${skippedSuffix}`, { timeout: 240_000 }, () => {
  test('asks before another tenant is entered, and is kept or left as the answer says', async ({ served, context }) => {
    const page = await openSignedIn(context, `${served.url}t/acme-shop/products?do=create`);
    const asked: string[] = [];
    let isLeft = false;
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      void (isLeft ? dialog.accept() : dialog.dismiss());
    });
    const name = page.locator('.panel').getByLabel('Name');
    await name.fill('A chair that is not saved');
    const enter = async () => {
      await page.getByRole('button', { name: 'Tenant: Acme shop' }).click();
      await page.getByRole('menuitem', { name: 'Acme outlet' }).click();
    };
    await enter();
    await expect.poll(() => asked).toEqual([expect.stringContaining('not saved')]);
    expect(page.url()).toContain('/t/acme-shop/products');
    expect(await name.inputValue()).toBe('A chair that is not saved');
    isLeft = true;
    await enter();
    await page.getByRole('button', { name: 'Tenant: Acme outlet' }).waitFor();
    expect(asked).toHaveLength(2);
    expect(await name.count()).toBe(0);
  });
});
