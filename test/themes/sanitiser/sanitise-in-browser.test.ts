import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { elements } from '#src/themes/sanitiser/elements.ts';
import { sanitiseFragment } from '#src/themes/sanitiser/sanitise-fragment.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { readable } from './corpus.ts';
import { vectors } from './vectors.ts';

/** A page of a shop with blocks. Whatever would run says so by one of these names. */
const pageWith = (blocks: readonly string[]): string => `<!doctype html><title>A page of the shop</title><script>
  window.ran = [];
  for (const name of ['report', 'alert', 'confirm', 'prompt', 'print']) window[name] = () => { ran.push(name); };
</script><main>${blocks.map((html) => `<div class="block">${html}</div>`).join('')}</main>`;

/** The faults of the blocks as the browser built them, once from the page and once from their own serialisation. */
function audit({ allowed, count }: { allowed: string[]; count: number }): string[] {
  const faults: string[] = [];
  const blocks = [...document.querySelectorAll('main > .block')];
  if (blocks.length !== count || document.body.children.length !== 1) faults.push('a block has left its place');
  const again = blocks.map((block) => {
    const copy = document.createElement('div');
    document.body.append(copy);
    copy.innerHTML = block.innerHTML;
    return copy;
  });
  for (const element of [...blocks, ...again].flatMap((block) => [...block.querySelectorAll('*')])) {
    const name = element.localName.toLowerCase();
    if (!allowed.includes(name) && !name.startsWith('acme-')) faults.push(`<${name}>`);
    for (const { name: attribute, value } of element.attributes) {
      const bare = value.replaceAll(/[\s\p{Cc}\p{Cf}]/gu, '');
      const isBad = /^(?:on|srcdoc$|is$|ping$|formaction$)/i.test(attribute) || /(?:java|vb)script:|^data:/i.test(bare);
      if (isBad) faults.push(`${attribute}="${value}"`);
    }
    // Wakes what waits for its event.
    for (const event of ['mouseover', 'focus', 'toggle', 'animationstart', 'error', 'load']) {
      element.dispatchEvent(new Event(event, { bubbles: true }));
    }
  }
  return faults;
}

describe.skipIf(browserIsMissing)(`sanitised fragments in a browser${skippedSuffix}`, () => {
  let server: Server;
  let browser: Browser;
  let page: Page;
  let origin: string;
  let blocks: readonly string[] = [];
  const elsewhere: string[] = [];

  beforeAll(async () => {
    server = createServer(({ url }, response) => {
      const isPage = url === '/page';
      response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' });
      response.end(isPage ? pageWith(blocks) : '');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await launchBrowser();
    page = await browser.newPage();
    await page.route(
      (url) => url.origin !== origin && !url.protocol.startsWith('about'),
      (route) => {
        elsewhere.push(route.request().url());
        return route.abort();
      },
    );
  });
  afterAll(async () => {
    await browser?.close();
    await new Promise((resolve) => server?.close(resolve));
  });

  /** Shows a page, and returns what ran, what was asked of other origins, and what its elements should not have. */
  async function show(shown: readonly string[]): Promise<{ ran: string[]; asked: string[]; faults: string[] }> {
    blocks = shown;
    elsewhere.length = 0;
    await page.goto(`${origin}/page`);
    const faults = await page.evaluate(audit, { allowed: [...elements.keys()], count: shown.length });
    // Requests of the second parse are sent by the next frame.
    const ran = await page.evaluate(
      () =>
        new Promise<string[]>((resolve) => {
          requestAnimationFrame(() => setTimeout(() => resolve(Reflect.get(window, 'ran') as string[])));
        }),
    );
    return { ran, asked: [...elsewhere], faults };
  }
  const nothing = { ran: [], asked: [], faults: [] };
  const sanitised = (attack: string): string => sanitiseFragment(attack, { vendor: 'acme', origin });

  test(
    'run no script, call no other origin and contain only allowed markup, for any attack',
    { timeout: 300_000 },
    async () => {
      expect(readable.length).toBeGreaterThan(300);
      for (let from = 0; from < readable.length; from += 30) {
        const attacks = readable.slice(from, from + 30);
        const seen = await show(attacks.map(sanitised));
        if (isDeepStrictEqual(seen, nothing)) continue;
        // Each alone, to name the one that got through.
        for (const attack of attacks) {
          expect.soft({ attack, ...(await show([sanitised(attack)])) }).toEqual({ attack, ...nothing });
        }
        expect.fail(`Together only: ${JSON.stringify(seen)}`);
      }
    },
  );

  test('would run scripts and call other origins if they were not sanitised', { timeout: 120_000 }, async () => {
    const known = ['<img src=x onerror=%>', '<svg onload=%>', '<script>%</script>', '<img src="//evil.example/i.png">'];
    expect(vectors).toEqual(expect.arrayContaining(known));
    const seen: Awaited<ReturnType<typeof show>>[] = [];
    for (const vector of known) seen.push(await show([vector.replaceAll('%', 'report()')]));
    expect(seen.map(({ ran }) => ran.length > 0)).toEqual([true, true, true, false]);
    expect(seen.map(({ asked }) => asked.length > 0)).toEqual([false, false, false, true]);
    expect(seen.map(({ faults }) => faults.length > 0)).toEqual([true, true, true, false]);
  });
});
