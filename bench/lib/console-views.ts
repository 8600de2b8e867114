import type { Page } from 'playwright-core';
import type { PageTraffic } from './page-traffic.ts';

/** The cost of showing a screen. */
export interface View {
  ms: number;
  requests: number;
  /** Bytes of script and style, compressed with gzip. */
  kilobytes: number;
}

const tally = async (ms: number, traffic: PageTraffic): Promise<View> => ({
  ms,
  requests: traffic.urls().length,
  kilobytes: (await traffic.gzipBytes()) / 1_000,
});

/** Opens the address of a list in a new page, and waits for the first frame that has rows, and for the socket. */
export async function openList(page: Page, address: string, traffic: PageTraffic): Promise<View> {
  await page.addInitScript(() => {
    const look = (): void => {
      if (document.querySelector('.list-body')) document.documentElement.dataset['rowsAt'] ??= String(Date.now());
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  const began = Date.now();
  await page.goto(address, { waitUntil: 'commit' });
  const seen = page.locator('html[data-rows-at]');
  await seen.waitFor({ state: 'attached', timeout: 60_000 });
  const ms = Number(await seen.getAttribute('data-rows-at')) - began;
  await page.getByText('Live', { exact: true }).waitFor();
  return tally(ms, traffic);
}

/** Presses each place of the rail and each of its tabs, and returns what each screen took that was not open before. */
export async function openPlaces(page: Page, traffic: PageTraffic): Promise<Map<string, View>> {
  const views = new Map<string, View>();
  const opened = async (href: string): Promise<void> => {
    if (views.has(href) || page.url().endsWith(href)) return;
    traffic.reset();
    const ms = await press(page, href);
    // What is loaded after it belongs to it, too.
    await page.waitForTimeout(300);
    views.set(href, await tally(ms, traffic));
  };
  for (const place of await hrefs(page, '.rail-place')) {
    await opened(place);
    for (const tab of await hrefs(page, '.tab')) await opened(tab);
  }
  return views;
}

const hrefs = (page: Page, selector: string): Promise<string[]> =>
  page.locator(selector).evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));

/** Milliseconds from the press of a link to the frame that shows its screen with what the server answered. */
const press = (page: Page, href: string): Promise<number> =>
  page.evaluate(
    (address) =>
      new Promise<number>((done, fail) => {
        const began = performance.now();
        const heading = (): Element | null => document.querySelector('#content h1, #content h2');
        // The screen before stays until the code of the next is there.
        const before = heading();
        const isShown = (): boolean =>
          location.href.endsWith(address) &&
          ![null, before].includes(heading()) &&
          document.querySelector('#content .skeleton') === null;
        const look = (): void => {
          if (performance.now() - began > 30_000) fail(new Error(`${address} was not shown within 30 s.`));
          else if (isShown()) requestAnimationFrame(() => done(performance.now() - began));
          else requestAnimationFrame(look);
        };
        document.querySelector<HTMLElement>(`a[href="${address}"]`)?.click();
        requestAnimationFrame(look);
      }),
    href,
  );
