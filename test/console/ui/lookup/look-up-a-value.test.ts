import { describe, expect } from 'vitest';
import { upsertOrganization } from '#test/commerce/customers.ts';
import { createShop } from '#test/commerce/shop.ts';
import { makeOwned } from '#test/graphql/owned-objects.ts';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { openSignedIn, test } from '#test/setup/console-test.ts';

const readOne = async <Row extends object>(
  { query }: { query: (text: string) => Promise<{ rows: Row[] }> },
  text: string,
): Promise<Row | undefined> => (await query(text)).rows[0];

describe.skipIf(browserIsMissing)(`A form offers${skippedSuffix}`, { timeout: 240_000 }, () => {
  test('the people of the tenant by name, to look after an error group', async ({ served, context }) => {
    const { system } = served.api.database;
    await makeOwned(served.api);
    const enter = (name: string, tenant: string) =>
      served.api.graphql(
        '{ me { user { id } } }',
        {},
        { sub: name, name, email: `${name}@acme.example`, roles: ['user'], tenant },
      );
    await enter('Ada Byron', 'acme-shop');
    await enter('Eve', 'acme-outlet');
    const page = await openSignedIn(context, `${served.url}t/acme-shop/error-groups`);
    await page.locator('main [role=row] a').first().click();
    await page.getByRole('button', { name: 'Assign', exact: true }).click();
    const people = page.getByRole('combobox', { name: 'Looked after by' });
    await people.fill('byron');
    await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual([expect.stringMatching(/^Ada Byron\s/)]);
    await page.getByRole('option').click();
    await page.locator('.panel').getByRole('button', { name: 'Assign', exact: true }).click();
    await page.getByText('The group was assigned.').waitFor();
    const group = await readOne(system, 'SELECT u.name FROM error_groups g JOIN users u ON u.id = g.assignee_id');
    expect(group).toEqual({ name: 'Ada Byron' });
    await people.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Assign', exact: true }).click();
    await people.fill('eve');
    await page.getByText('No match').waitFor();
  });

  test('the scopes of API keys, each with what it allows', async ({ served, context }) => {
    const page = await openSignedIn(context, `${served.url}t/acme-shop/api-keys?do=create`);
    await page.getByLabel('Name').fill('ERP');
    const scope = page.getByRole('checkbox', { name: 'orders:read' });
    await scope.check();
    expect(
      await scope.evaluate(
        (box) => document.querySelector(`[id="${box.getAttribute('aria-describedby')}"]`)?.textContent,
      ),
    ).toBe('Read orders.');
    await page.getByRole('checkbox', { name: 'stock:write' }).check();
    await page.locator('.panel').getByRole('button', { name: 'Create' }).click();
    await page.getByText('This is shown once.').waitFor();
    const key = await readOne(served.api.database.system, "SELECT scopes FROM api_keys WHERE name = 'ERP'");
    expect(key).toEqual({ scopes: ['orders:read', 'stock:write'] });
  });

  test('the topics of this server for a destination, and takes one that it does not know', async ({
    served,
    context,
  }) => {
    const page = await openSignedIn(context, `${served.url}t/acme-shop/webhook-destinations?do=add`);
    await page.locator('.panel').getByLabel('Name').fill('ERP');
    await page.locator('.panel').getByLabel('Url').fill('https://erp.example/events');
    const topics = page.getByRole('group', { name: 'Topics' });
    const add = topics.getByRole('button', { name: 'Add' });
    await add.click();
    await topics.getByRole('combobox', { name: 'Topics 1' }).fill('cancel');
    const options = page.getByRole('option');
    await expect.poll(() => options.allInnerTexts()).toEqual([expect.stringMatching(/^order\.cancelled\s+when /)]);
    await options.click();
    await add.click();
    await topics.getByRole('combobox', { name: 'Topics 2' }).fill('erp.counted');
    await page.keyboard.press('Tab');
    await page.locator('.panel').getByRole('button', { name: 'Create' }).click();
    await page.getByText('The destination was added.').waitFor();
    const made = await readOne(
      served.api.database.system,
      "SELECT topics FROM webhook_destinations WHERE name = 'ERP'",
    );
    expect(made).toEqual({ topics: ['order.cancelled', 'erp.counted'] });
  });

  test('the import profiles by name, for a schedule', async ({ served, context }) => {
    const page = await openSignedIn(context, `${served.url}t/acme-shop/import-schedules?do=add`);
    const profiles = page.getByRole('combobox', { name: 'Profile' });
    await profiles.fill('nothing like it');
    await page.getByText('No match').waitFor();
    await profiles.fill('priv');
    await page.getByRole('option', { name: 'Private' }).click();
    await expect.poll(() => profiles.inputValue()).toBe('Private');
  });

  test('only what has the typed text in its name while the search is under way, and keeps no text that chose nothing', async ({
    served,
    context,
  }) => {
    await upsertOrganization(served.api, { customerNumber: 'C-1', name: 'Alpha' });
    await upsertOrganization(served.api, { customerNumber: 'C-2', name: 'Beta' });
    const page = await openSignedIn(context, `${served.url}t/acme-shop/orders?do=create`);
    const customer = page.locator('.panel').getByLabel('Organization');
    const options = () => page.getByRole('option').allInnerTexts();
    await customer.click();
    await expect.poll(options).toEqual(expect.arrayContaining(['Alpha', 'Beta']));

    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('"search"')) await released;
      await route.continue();
    });
    await page.keyboard.type('Gamma');
    await page.getByText('Searching …').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await customer.inputValue()).toBe('Gamma');
    await page.keyboard.press('Tab');
    await expect.poll(() => customer.inputValue()).toBe('');

    await customer.click();
    await page.keyboard.type('Bet');
    await expect.poll(options).toEqual(['Beta']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => customer.inputValue()).toBe('Beta');
    release();

    await customer.press('Backspace');
    expect(await customer.inputValue()).toBe('Bet');
    await page.keyboard.press('Tab');
    await expect.poll(() => customer.inputValue()).toBe('Beta');

    await customer.fill('nobody');
    await page.getByText('No match').waitFor();
    await customer.fill('alpha');
    await expect.poll(options).toEqual(['Alpha']);
    await page.keyboard.press('Tab');
    await expect.poll(() => customer.inputValue()).toBe('Alpha');
  });

  test('the articles of an order by name, which every position needs, before what it may have', async ({
    served,
    context,
  }) => {
    const shop = createShop(served.api);
    await shop.stocked('TEA-9', '10');
    await shop.stocked('TEA-90', '10');
    const page = await openSignedIn(context, `${served.url}t/acme-shop/orders?do=create`);
    const panel = page.locator('.panel');
    await panel.getByLabel('Currency').fill('EUR');
    const labels = await panel.getByRole('group', { name: 'Positions 1' }).locator('label').allInnerTexts();
    expect(labels.slice(0, 2)).toEqual(['Quantity', 'SKU']);
    await panel.getByLabel('Quantity').fill('2');
    await page.keyboard.press('Tab');
    await page.keyboard.type('article tea-9');
    await expect.poll(() => page.getByRole('option').count()).toBe(2);
    await page.getByRole('option', { name: /^TEA-9\b/ }).click();
    await expect.poll(() => panel.getByLabel('SKU').inputValue()).toBe('TEA-9');
    await panel.getByLabel('Unit price').fill('4.50');
    await panel.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: /^Order / }).waitFor();
    await page.getByRole('region', { name: 'Positions' }).getByRole('cell', { name: 'TEA-9', exact: true }).waitFor();
  });

  test('no answer of a server that cannot be reached as if it were one', async ({ served, context }) => {
    const page = await openSignedIn(context, `${served.url}t/acme-shop/orders?do=create`);
    const customer = page.locator('.panel').getByLabel('Organization');
    await customer.click();
    await page.getByRole('option', { name: 'Beta' }).waitFor();
    served.server.shut();
    try {
      await page.keyboard.type('unheard of');
      await page.getByText('The server cannot be reached.').waitFor();
    } finally {
      served.server.open();
    }
    await page.getByText('No match').waitFor();
  });
});
