import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { openSignedIn, test } from '#test/setup/console-test.ts';

/** The addresses that the page asks the network for, from now on. A file has an address of its own, so that the second time it is in the cache. */
function watchNetwork(page: Page): () => string[] {
  const files = new Set<string>();
  const others: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/console/assets/')) files.add(request.url());
    else others.push(request.url());
  });
  page.on('websocket', (socket) => others.push(socket.url()));
  return () => [...files, ...others];
}

describe.skipIf(browserIsMissing)(`the first view of the console${skippedSuffix}`, { timeout: 90_000 }, () => {
  test.beforeAll(({ served, browser }) => expect(browser.isConnected() && served.url).toBeTruthy(), 180_000);

  test('takes 12 requests and 180 kB of script and style, from a cold cache to rows that are live', async ({
    served,
    browser,
    context,
  }) => {
    const before = await openSignedIn(context, served.url);
    const { cookies } = await context.storageState();
    await before.close();
    // The issuer knows its user, and the cache has nothing.
    const cold = await browser.newContext({ storageState: { cookies, origins: [] } });
    try {
      const page = await cold.newPage();
      const asked = watchNetwork(page);
      await page.goto(`${served.url}t/acme-shop/runs`);
      await page.getByText('Live', { exact: true }).waitFor();
      expect(asked().length, asked().join('\n')).toBeLessThanOrEqual(12);
      const sizes = asked().filter((url) => /\.(?:js|css)$/.test(url));
      const bytes = await Promise.all(sizes.map(async (url) => gzipSync(await (await fetch(url)).text()).length));
      expect(bytes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(180_000);
    } finally {
      await cold.close();
    }
  });

  test('loads what another screen takes when somebody points at its link, and shows it without a skeleton', async ({
    served,
    context,
  }) => {
    const page = await openSignedIn(context, `${served.url}t/acme-shop/runs`);
    const link = page.getByRole('navigation').getByRole('link', { name: 'Orders' });
    const loaded = page.waitForResponse((response) => response.url().includes('/orders.screens'));
    await link.hover();
    await loaded;
    await page.evaluate(() => {
      const seen = new MutationObserver(() => {
        if (document.querySelector('.content > .skeleton')) document.title = 'skeleton';
      });
      seen.observe(document.body, { childList: true, subtree: true });
    });
    await link.click();
    await page.getByRole('heading', { name: 'Orders' }).waitFor();
    expect(await page.title()).not.toBe('skeleton');
  });
});
