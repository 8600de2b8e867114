import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '#test/setup/browser.ts';
import { startScript } from './start-script.ts';
import { startWholeProduct, type WholeProduct } from './whole-product.ts';

export interface ConsoleBrowser {
  readonly product: WholeProduct;
  /** `http://localhost:<port>/console/` */
  readonly url: string;
  /** A window with an empty cache, whose user the issuer knows. */
  openWindow: () => Promise<BrowserContext>;
}

const viewport = { width: 1440, height: 900 };

/** Runs `body` with the product on a database, as `npm start` runs it, and Chromium, whose user is an administrator of the org. */
export async function withConsole(
  options: { databaseUrl: string; org: string; env?: Readonly<Record<string, string>> },
  body: (opened: ConsoleBrowser) => Promise<void>,
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'causeway-bench-console-'));
  const product = await startWholeProduct(dataDir, ['sh', '-c', startScript], {
    DATABASE_URL: options.databaseUrl,
    ...options.env,
  });
  const browser = await launchBrowser();
  try {
    const url = `http://localhost:${product.port}/console/`;
    const first = await browser.newContext({ viewport, locale: 'en-GB' });
    await signIn(await first.newPage(), url, options.org);
    const { cookies } = await first.storageState();
    await first.close();
    const openWindow = () => browser.newContext({ viewport, locale: 'en-GB', storageState: { cookies, origins: [] } });
    await body({ product, url, openWindow });
  } finally {
    await browser.close();
    await product.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function signIn(page: Page, url: string, org: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('radio', { name: 'Administrator' }).check();
  await page.getByLabel('Organisation and tenants').selectOption(org);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Account: Administrator' }).waitFor();
}
