import { expect } from 'vitest';
import { createProduct, deleteProduct } from '#src/commerce/products/products.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { openSignedIn, test } from '#test/setup/console-test.ts';

const gone = 'This does not exist, or was deleted. Go back to the list.';

test.skipIf(browserIsMissing)(
  `an object that somebody else deletes leaves what is entered about it on the page, which says so${skippedSuffix}`,
  { timeout: 240_000 },
  async ({ served, context }) => {
    const actor = systemActor('acme', 'acme-shop');
    const product = await createProduct(served.api.deps, actor, { sku: 'GONE', name: 'Chair' });
    const page = await openSignedIn(context, `${served.url}t/acme-shop/products?q=GONE`);
    await page.getByRole('grid').getByRole('link', { name: 'GONE' }).click();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const panel = page.getByRole('complementary', { name: 'Edit' });
    await panel.getByLabel('Name').fill('half a na');
    await deleteProduct(served.api.deps, actor, product.id);
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByText(gone).waitFor();
    expect(await panel.getByLabel('Name').inputValue()).toBe('half a na');
    // The page asks whether to lose the changes, and the user agrees.
    page.once('dialog', (dialog) => void dialog.accept());
    await panel.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.getByRole('link', { name: 'Back to Articles' }).click();
    await page.getByRole('heading', { name: 'Articles' }).waitFor();
  },
);

test.skipIf(browserIsMissing)(
  `who deletes an object goes on with the list, where it is no more${skippedSuffix}`,
  { timeout: 240_000 },
  async ({ served, context }) => {
    const actor = systemActor('acme', 'acme-shop');
    for (const sku of ['KEPT', 'DELETED']) await createProduct(served.api.deps, actor, { sku, name: 'Table' });
    const page = await openSignedIn(context, `${served.url}t/acme-shop/products?q=Table`);
    const grid = page.getByRole('grid');
    await grid.getByRole('link', { name: 'DELETED' }).click();
    await page.getByRole('button', { name: 'Delete the article', exact: true }).click();
    await page
      .getByRole('complementary', { name: 'Delete the article' })
      .getByRole('button', { name: 'Delete the article' })
      .click();
    await page.getByRole('heading', { name: 'Articles' }).waitFor();
    await grid.getByRole('link', { name: 'KEPT' }).waitFor();
    expect(await grid.getByRole('link', { name: 'DELETED' }).count()).toBe(0);
  },
);
