import { describe, expect } from 'vitest';
import { upsertOrganization } from '#test/commerce/customers.ts';
import { createShop } from '#test/commerce/shop.ts';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { test } from '#test/setup/console-test.ts';
import { openPage } from './signed-in.ts';

/** A list of customers, and what a field looks one up in, begins with fewer. */
const customers = 60;

const suite = `Find the orders of a customer${skippedSuffix}`;
describe.skipIf(browserIsMissing)(suite, { timeout: 120_000 }, () => {
  test('from its page, and from an order back to it; the list says whose they are, and narrows them by a number', async ({
    served,
    browser,
    onTestFinished,
  }) => {
    const shop = createShop(served.api);
    await shop.stocked('MUG', '100');
    const place = async (organizationId?: string) =>
      (await shop.place({ organizationId, positions: [{ sku: 'MUG', quantity: '1', unitPrice: '10' }] }))
        .order as unknown as { number: string };
    const bauer = await upsertOrganization(served.api, { customerNumber: 'B-1', name: 'Bauer KG' });
    const [first, other, last] = [await place(bauer.id), await place(), await place(bauer.id)];
    for (let number = 1; number <= customers; number += 1)
      await upsertOrganization(served.api, { customerNumber: `C-${number}`, name: `Company ${number}` });

    const page = await openPage(browser, served, 'customers?q=B-1');
    onTestFinished(() => page.context().close());
    await page.getByRole('link', { name: 'Bauer KG' }).click();
    await page.getByRole('main').getByRole('link', { name: 'Orders' }).click();
    const numbers = page.getByRole('grid', { name: 'Orders' }).getByRole('row').getByRole('link', { name: /^\d+$/ });
    await expect.poll(() => numbers.allInnerTexts(), { timeout: 30_000 }).toEqual([last.number, first.number]);
    await expect.poll(() => page.getByRole('combobox', { name: 'Customer' }).inputValue()).toBe('Bauer KG');

    await page.getByRole('searchbox').fill(first.number);
    await expect.poll(() => numbers.allInnerTexts(), { timeout: 30_000 }).toEqual([first.number]);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('link', { name: other.number }).waitFor();
    await page.getByRole('link', { name: first.number }).click();
    await page.getByRole('link', { name: 'Bauer KG' }).click();
    await page.getByRole('heading', { level: 1, name: 'Bauer KG' }).waitFor();
  });
});
