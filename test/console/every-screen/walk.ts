import type { Page } from 'playwright-core';
import type { Audit, Walked } from './audit.ts';

/** The pages of a noun that were walked, by their addresses below the tenant. */
export interface WalkedNoun {
  noun: string;
  pages: ({ address: string } & Walked)[];
}

/** Opens an address without loading the console again, as a link does. */
export async function openAddress(page: Page, address: string, tenant = 'acme-shop'): Promise<void> {
  await page.evaluate((path) => {
    // The page before stays until the code of the next one is loaded.
    if (location.pathname !== path) document.querySelector('main h1')?.setAttribute('data-before', '');
    history.pushState(null, '', path);
  }, `/console/t/${tenant}/${address}`);
  await settle(page);
}

/** Waits until the page shows what it is about, and no part of it is still loading. */
export async function settle(page: Page): Promise<void> {
  await page.waitForFunction(
    () => document.querySelector('main h1:not([data-before])') && !document.querySelector('.skeleton'),
  );
}

/** Walks the list of a noun, and the pages that its first row and its head link to. */
export async function walkNoun(audit: Audit, noun: string): Promise<WalkedNoun> {
  const { page } = audit;
  const walked: WalkedNoun = { noun, pages: [] };
  const walk = async (address: string) => walked.pages.push({ address, ...(await walkPage(audit, address)) });
  await openAddress(page, noun);
  const hrefs = await page.evaluate(() =>
    [document.querySelector('main [role=row] a'), ...document.querySelectorAll('.page-actions a')].map(
      (link) => link?.getAttribute('href') ?? '',
    ),
  );
  await walk(noun);
  for (const href of hrefs) {
    const [, address] = href.match(/\/t\/acme-shop\/(.+)/) ?? [];
    // A row may open the page of another noun, which is walked as that.
    if (!address?.startsWith(`${noun}/`)) continue;
    await openAddress(page, address);
    await walk(address);
  }
  return walked;
}

async function walkPage(audit: Audit, address: string): Promise<Walked> {
  const { page } = audit;
  const where = address.replace(/\/(?<start>.{12}).+/, '/$<start>…');
  const headings = await page.locator('main h1').allInnerTexts();
  const title = await page.title();
  if (headings.length !== 1 || `${headings[0]} · Causeway` !== title)
    audit.add(where, [`has the title "${title}" and the headings ${JSON.stringify(headings)}`]);
  const walked = await audit.checkAll(where);
  await audit.checkNarrow(where);
  return walked;
}
