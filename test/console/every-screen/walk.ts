import type { Page } from 'playwright-core';
import { toAddressId } from '#console/ui/address-id.ts';
import type { Audit, Walked } from './audit.ts';
import type { Noun } from './registry.ts';

/** The pages of a noun that were walked, by their addresses below the tenant. */
export interface WalkedNoun {
  noun: string;
  pages: ({ address: string } & Walked)[];
}

/** Where the objects are, and the global id of one of each type. */
export interface Made {
  tenant: string;
  ids: Readonly<Record<string, string>>;
}

/** Opens an address without loading the console again, as a link does. */
export async function openAddress(page: Page, address: string, tenant: string): Promise<void> {
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

/** Walks the list of a noun, and the pages that its first row and its head link to; of a part of another, the page of an object. */
export async function walkNoun(audit: Audit, { noun, type = '', partOf }: Noun, made: Made): Promise<WalkedNoun> {
  const { page } = audit;
  const walked: WalkedNoun = { noun, pages: [] };
  const walk = async (address: string) => walked.pages.push({ address, ...(await walkPage(audit, address)) });
  if (partOf) {
    const address = `${noun}/${toAddressId(made.ids[type] ?? '')}`;
    await openAddress(page, address, made.tenant);
    await walk(address);
    return walked;
  }
  await openAddress(page, noun, made.tenant);
  const hrefs = await page.evaluate(() =>
    [document.querySelector('main [role=row] a'), ...document.querySelectorAll('.page-actions a')].map(
      (link) => link?.getAttribute('href') ?? '',
    ),
  );
  await walk(noun);
  for (const href of hrefs) {
    const [, address] = href.match(/\/t\/[^/]+\/(.+)/) ?? [];
    // A row may open the page of another noun, which is walked as that.
    if (!address?.startsWith(`${noun}/`)) continue;
    await openAddress(page, address, made.tenant);
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
