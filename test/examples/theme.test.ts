import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createExtension } from '@causeway/extension-kit';
import type { Browser } from 'playwright-core';
import { afterAll, describe, expect } from 'vitest';
import { createDemoClient } from '#bin/commands/demo/demo-client.ts';
import { installDemoTheme } from '#bin/commands/demo/install-demo-theme.ts';
import { islands } from '#examples/reviews-extension/islands.ts';
import manifest from '#examples/reviews-extension/theme-extensions.json' with { type: 'json' };
import { createPlatform } from '#examples/theme/platform.ts';
import { createTheme } from '#examples/theme/theme.ts';
import { extensionSecrets } from '#src/themes/islands/request-signing.rules.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';

const tenant = 'acme-shop';
const closing: (() => Promise<unknown>)[] = [];
const logged: string[] = [];
let shop: string;
let api: TestApp;

test.beforeAll(async ({ api: started }) => {
  api = started;
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  const url = toOrigin(api.app.server.address() as AddressInfo);
  const root = new URL('../../examples/reviews-extension/', import.meta.url);
  const secret = extensionSecrets(api.deps)(manifest);
  const extension = await listen((await createExtension({ root, manifest, islands, secret })).handle);
  api.egressAllow.add(new URL(extension).host);
  const token = await api.token({ roles: ['admin', 'operator'] });
  const client = createDemoClient({ url, token, tenant });
  const first = await installDemoTheme(client, extension);
  const again = await installDemoTheme(client, extension);
  expect(again).toEqual({ extensionSecret: secret, key: expect.any(String) });
  expect(again.key).not.toBe(first.key);
  shop = await listen(createTheme(createPlatform({ url, tenant, key: again.key }), (line) => void logged.push(line)));
}, 120_000);
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

/** Serves until the end of the file; answers its origin. */
async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((closed) => server.close(closed));
  });
  return toOrigin(server.address() as AddressInfo);
}

const toOrigin = ({ port }: AddressInfo): string => `http://127.0.0.1:${port}`;

describe('the example theme', () => {
  test('shows the blocks of an extension in its pages, with the values of their settings', async () => {
    const response = await fetch(`${shop}/products/chair-01`);
    const page = await response.text();
    expect(response.status).toBe(200);
    expect(page).toContain('<h2>Customers say</h2>');
    expect(page).toMatch(/<opinio-stars data-rating="4\.5" data-out-of="5" data-colour="#1a6b3c"\s*>4\.5 of 5</);
    expect(page.match(/<li>/g)).toHaveLength(2);
    expect(page).not.toContain('<cite>');
    expect(logged).toEqual([]);
    const home = await (await fetch(shop)).text();
    expect(home).toContain('<h2>Our most loved chair</h2>');
    expect(home).toContain('data-rating="9.0" data-out-of="10"');
  });

  test('passes on the assets with the hashes and headers that the platform gives', async () => {
    const page = await (await fetch(shop)).text();
    const [, src = '', integrity = ''] = /<script type="module" src="([^"]+)" integrity="([^"]+)">/.exec(page) ?? [];
    expect([src, integrity]).toEqual([
      '/_ext/opinio/reviews/1.0.0/assets/reviews.js',
      expect.stringMatching(/^sha384-/),
    ]);
    const asset = await fetch(shop + src, { integrity });
    expect(await asset.text()).toContain("customElements.define('opinio-stars'");
    expect(Object.fromEntries(asset.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect((await fetch(`${shop}/_ext/opinio/reviews/1.0.0/assets/none.js`)).status).toBe(404);
    expect((await fetch(`${shop}/_ext/%2e%2e/theme/openapi.json`)).status).toBe(404);
    expect((await fetch(`${shop}//`)).status).toBe(404);
  });

  test('loads nothing of extensions in the page editor', async () => {
    const page = await (await fetch(`${shop}/products/chair-01?editor`)).text();
    expect(page).toContain('<h2>Customers say</h2>');
    expect(page).not.toContain('/_ext/');
  });

  test('shows its pages without blocks while the platform is away', async () => {
    const lines: string[] = [];
    const nowhere = createPlatform({ url: 'http://127.0.0.1:1', tenant, key: 'none' });
    const origin = await listen(createTheme(nowhere, (line) => void lines.push(line)));
    const response = await fetch(`${origin}/products/chair-01`);
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('<h1>Chair Jena</h1>')]);
    expect((await fetch(`${origin}/_ext/opinio/reviews/1.0.0/assets/reviews.js`)).status).toBe(502);
    expect(lines).toEqual([
      expect.stringContaining('"Chair Jena" has no blocks: '),
      expect.stringContaining('/assets/reviews.js cannot be had: '),
    ]);
  });
});

describe.skipIf(browserIsMissing)(`the example theme in a browser${skippedSuffix}`, () => {
  let browser: Browser;
  test.beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  test('shows the blocks, styled and with their custom element, and calls no other origin', async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    const requested: string[] = [];
    const faults: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    page.on('websocket', (socket) => requested.push(socket.url()));
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => {
      if (/Content Security Policy|integrity/i.test(message.text())) faults.push(message.text());
    });
    await page.goto(`${shop}/products/chair-01`);

    expect(await page.getByRole('heading', { name: 'Customers say' }).innerText()).toBe('Customers say');
    expect(await page.getByRole('listitem').count()).toBe(2);
    const stars = page.getByRole('img', { name: '4.5 of 5' });
    expect(await stars.innerText()).toBe('★★★★★');
    const style = await stars.evaluate((element) => {
      const { color, letterSpacing } = getComputedStyle(element);
      return { color, isSpaced: letterSpacing !== 'normal' };
    });
    expect(style).toEqual({ color: 'rgb(26, 107, 60)', isSpaced: true });

    expect(requested.filter((url) => !url.startsWith(`${shop}/`))).toEqual([]);
    expect(requested.map((url) => new URL(url).pathname)).toEqual(
      expect.arrayContaining([
        '/products/chair-01',
        '/theme.css',
        '/_ext/opinio/reviews/1.0.0/assets/reviews.css',
        '/_ext/opinio/reviews/1.0.0/assets/reviews.js',
      ]),
    );
    expect(faults).toEqual([]);
  }, 120_000);

  test('keeps a block in its place, whatever the stylesheet of its extension says', async () => {
    const page = await browser.newPage();
    await page.goto(shop);
    const reached = await page.evaluate(() => {
      const cover = document.createElement('a');
      cover.href = 'https://evil.example';
      cover.style.cssText = 'position: fixed; inset: -9999px; z-index: 9999';
      document.querySelector('.block')?.append(cover);
      const link = document.querySelector('nav a') as HTMLElement;
      const { x, y } = link.getBoundingClientRect();
      return document.elementFromPoint(x + 2, y + 2) === link;
    });
    expect(reached).toBe(true);
  });

  test('runs no script that was put into a page', async () => {
    const page = await browser.newPage();
    await page.goto(shop);
    const violated = await page.evaluate(
      () =>
        new Promise<string>((seen) => {
          document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => seen(effectiveDirective));
          const script = document.createElement('script');
          script.textContent = 'document.title = "taken"';
          document.head.append(script);
        }),
    );
    expect([violated, await page.title()]).toEqual(['script-src-elem', 'Furniture for offices']);
  });
});
