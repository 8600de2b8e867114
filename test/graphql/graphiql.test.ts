import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { makeRun, makeWorkflow, moveRun } from '#test/setup/runs.ts';

const patient = { timeout: 60_000 };

describe.skipIf(browserIsMissing)(`GraphiQL in a browser${skippedSuffix}`, () => {
  let api: TestApp;
  let browser: Browser;
  let page: Page;
  let origin: string;
  const requested: string[] = [];
  const faults: string[] = [];

  test.beforeAll(async ({ api: started }) => {
    api = started;
    await api.app.listen({ port: 0, host: '127.0.0.1' });
    origin = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`;
    browser = await launchBrowser();
    page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    page.on('request', (request) => requested.push(request.url()));
    page.on('websocket', (socket) => requested.push(socket.url()));
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.goto(`${origin}/graphql`);
  });
  afterAll(() => browser?.close());

  async function type(editor: string, text: string): Promise<void> {
    await page.locator(`section[aria-label="${editor}"] .monaco-editor`).filter({ visible: true }).first().click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText(text);
  }
  const run = () => page.getByRole('button', { name: /^Execute query/ }).click();
  const result = (): Promise<string> => page.locator('section.result-window').innerText();

  test('reads the schema before anybody has signed in', async () => {
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    expect(await page.getByText('query: Query').innerText({ timeout: 60_000 })).toBe('query: Query');
    await page.getByRole('button', { name: 'Hide Documentation Explorer' }).click();
  });

  test('runs its initial query and a typed one with the token of the headers', async () => {
    await page.getByRole('button', { name: 'Headers' }).click();
    const authorization = `Bearer ${await api.token({ sub: 'someone-in-a-browser' })}`;
    await type('Headers', JSON.stringify({ authorization, 'x-tenant-id': 'acme-shop' }));
    await run();
    await expect.poll(result, patient).toContain('"runs"');
    await type('Operation Editor', '{ me { claims { sub } context { tenantId } } }');
    await run();
    await expect.poll(result, patient).toContain('someone-in-a-browser');
    await expect.poll(result, patient).toContain('acme-shop');
  });

  test('runs a subscription with the same token', async () => {
    const id = await makeRun(api.deps, 'acme-shop', await makeWorkflow(api.deps, 'acme-shop', 'Watched'));
    await type('Operation Editor', `subscription { runUpdated(id: ${id}) { status } }`);
    await run();
    await expect.poll(result, patient).toContain('QUEUED');
    await moveRun(api.deps, 'acme-shop', id, 'succeeded');
    await expect.poll(result, patient).toContain('SUCCEEDED');
  });

  test('makes no request to another origin, and logs no error', () => {
    expect(requested.length).toBeGreaterThan(2);
    const elsewhere = requested.filter((url) => !url.replace(/^blob:/, '').startsWith(`${origin}/`));
    expect(elsewhere).toEqual([]);
    expect(faults).toEqual([]);
  });
});
