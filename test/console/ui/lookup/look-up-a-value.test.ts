import { describe, expect } from 'vitest';
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
});
