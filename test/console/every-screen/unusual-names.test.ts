import { expect } from 'vitest';
import { createProduct } from '#src/commerce/products/products.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { account, test } from '#test/setup/console-test.ts';
import { chooseUser } from '#test/setup/console.ts';
import { Audit } from './audit.ts';
import { openAddress, settle } from './walk.ts';

const names = ['<img src=x onerror=alert(1)>', 'x'.repeat(190), 'كرسي أزرق', '🪑 Chair 👩‍👩‍👧', ' '];

test.skipIf(browserIsMissing)(
  `names of markup, without spaces, from right to left, of emoji and of nothing break no list and no page${skippedSuffix}`,
  { timeout: 300_000 },
  async ({ served, context }) => {
    for (const [index, name] of names.entries())
      await createProduct(served.api.deps, systemActor('acme', 'acme-shop'), { sku: `SKU-${index}`, name }).catch(
        () => undefined,
      );
    const audit = await Audit.begin(context);
    const { page } = audit;
    await page.goto(`${served.url}t/acme-shop/products`);
    await chooseUser(page);
    await account(page).waitFor();
    await settle(page);
    await audit.check('products');
    await audit.checkNarrow('products');
    const rows = page.locator('main [role=row] a');
    const hrefs = await rows.evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    expect(hrefs.length).toBeGreaterThanOrEqual(names.length - 1);
    for (const href of hrefs) {
      const address = href.slice(href.indexOf('products/'));
      await openAddress(page, address, 'acme-shop');
      await audit.check(address);
      await audit.checkNarrow(address);
    }
    // Nothing moves for readers who asked for that, and the focus is seen where the system chooses the colours.
    await page.emulateMedia({ reducedMotion: 'reduce', forcedColors: 'active' });
    await page.keyboard.press('Tab');
    await page.getByRole('link', { name: 'Documentation' }).focus();
    const style = await page.evaluate(() => {
      const { outlineStyle, outlineWidth, transitionDuration } = getComputedStyle(
        document.activeElement ?? document.body,
      );
      return { outlineStyle, outlineWidth, transitionDuration };
    });
    expect(style).toEqual({ outlineStyle: 'solid', outlineWidth: '2px', transitionDuration: '0s' });
    expect(audit.findings).toEqual([]);
  },
);
