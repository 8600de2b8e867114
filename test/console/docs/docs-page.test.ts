import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { contentPolicy } from '#src/console/content-policy.ts';
import { docsPlugin } from '#src/console/docs/docs-plugin.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The routes of the documentation without the frame, which needs somebody who is signed in. */
const entry = `
import { createElement, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { createRootRoute, createRoute, createRouter, Outlet, RouterProvider } from '@tanstack/react-router';
import { DocsHome, DocsRoute } from './shell/docs-route.tsx';
import './ui/styles/main.css';

const route = createRootRoute({ component: () => createElement(Suspense, null, createElement(Outlet)) });
const home = createRoute({ getParentRoute: () => route, path: '/docs', component: DocsHome });
const page = createRoute({ getParentRoute: () => route, path: '/docs/$page', component: DocsRoute });
const router = createRouter({
  routeTree: route.addChildren([home, page]),
  basepath: new URL('console/', document.baseURI).pathname,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (values) => (values.q ? '?' + new URLSearchParams(values) : ''),
});
createRoot(document.querySelector('#root')).render(createElement(RouterProvider, { router }));
`;

/** Serves them below a path, as behind a proxy, with the policy of the console. */
async function serveDocs() {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: `${root}console`, sourcefile: 'console/entry.tsx', loader: 'tsx' },
    bundle: true,
    splitting: true,
    format: 'esm',
    jsx: 'automatic',
    write: false,
    outdir: `${root}out`,
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [docsPlugin(root)],
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  const server = createServer((request, response) => {
    const name = basename(new URL(request.url ?? '', 'http://localhost').pathname);
    const file = files.get(name);
    if (file) {
      response.setHeader('content-type', name.endsWith('.css') ? 'text/css' : 'text/javascript').end(file);
      return;
    }
    const publicUrl = `http://${request.headers.host}/hub`;
    response.setHeader('content-type', 'text/html');
    response.setHeader('content-security-policy', contentPolicy({ nonce: 'AAAA', publicUrl, issuer: publicUrl }));
    response.end(
      '<!doctype html><html lang="en"><meta charset="utf-8"><base href="/hub/"><title>Docs</title><link rel="icon" href="data:,"><link rel="stylesheet" href="console/assets/stdin.css"><body><div id="root"></div><script type="module" src="console/assets/stdin.js"></script>',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}/hub`, close: () => server.close() };
}

describe.skipIf(browserIsMissing)(`the documentation in a browser${skippedSuffix}`, () => {
  let browser: Browser;
  let docs: Awaited<ReturnType<typeof serveDocs>>;

  beforeAll(async () => {
    [browser, docs] = await Promise.all([launchBrowser(), serveDocs()]);
  });
  afterAll(async () => {
    await browser.close();
    docs.close();
  });

  async function open(path: string, width = 1_440): Promise<Page> {
    const context = await browser.newContext({ viewport: { width, height: 900 }, locale: 'en-GB' });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    onTestFinished(() => expect(problems).toEqual([]));
    await page.goto(`${docs.address}/console/${path}`);
    return page;
  }

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

  test('it begins with the page on the console, and every page follows the one before', async () => {
    const page = await open('docs');
    await heading(page, 'The console').waitFor();
    await page.getByRole('link', { name: 'What needs attention →' }).click();
    await heading(page, 'What needs attention').waitFor();
    expect(page.url()).toBe(`${docs.address}/console/docs/attention`);
    expect(await page.title()).toBe('What needs attention · Causeway');
    await page.goBack();
    await heading(page, 'The console').waitFor();
  });

  test('a link to a heading of another page leads to it', async () => {
    const page = await open('docs/node-upgrades');
    await page.getByRole('article').locator('a[href$="#a-new-version"]').first().click();
    const target = page.getByRole('heading', { name: 'A new version' });
    await target.waitFor();
    await expect.poll(async () => (await target.boundingBox())?.y).toBeLessThan(60);
  });

  test('a search leads to the sentence, and the way back leads to the search', async () => {
    const page = await open('docs/orders');
    const field = page.getByRole('searchbox');
    await field.fill('leaves two thousand failed runs');
    await page.getByText(/ha(s|ve) “leaves two thousand failed runs”/).waitFor();
    await field.press('Enter');
    await page.keyboard.press('Enter');
    await heading(page, 'Many runs at a time').waitFor();
    await page.goBack();
    await page.getByText(/ha(s|ve) “leaves two thousand failed runs”/).waitFor();
    expect(await field.inputValue()).toBe('leaves two thousand failed runs');
    await field.fill('zzzqqq');
    await page.getByText('No page has “zzzqqq”.').waitFor();
  });

  test('an example is copied with the address of this server', async () => {
    const page = await open('docs/graphql');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const example = page.locator('.docs-code', { hasText: `${docs.address}/graphql` }).first();
    await example.getByRole('button', { name: 'Copy' }).click();
    await example.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`${docs.address}/graphql`);
    expect(await page.getByRole('article').innerText()).not.toContain('localhost:4000');
  });

  test('a page that does not exist says so, beside the list of those that do', async () => {
    const page = await open('docs/nothing');
    await heading(page, 'There is no page “nothing”').waitFor();
    expect(await page.getByRole('link', { name: 'Orders', exact: true }).count()).toBe(1);
  });

  test.each(['configuration', 'graphql'])('on a phone only tables and examples of %s scroll sideways', async (name) => {
    const page = await open(`docs/${name}`, 390);
    await page.getByRole('article').waitFor();
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    }
  });
});
