import type { Browser } from 'playwright-core';
import { describe, expect } from 'vitest';
import { registerBuiltinPackages } from '#src/automation/packages/builtin-packages.service.ts';
import { openPage, tabTo } from '#test/console/commerce/signed-in.ts';
import { test } from '#test/setup/app-test.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { startTestConsole, type TestConsole } from '#test/setup/console.ts';
import { startTestProvider, type TestProvider } from '#test/setup/oidc-provider.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';
import { draftNodes, openDraft } from './drafts.ts';

let running: TestConsole;
let browser: Browser;
let provider: TestProvider;

test.beforeAll(async ({ database }) => {
  if (browserIsMissing) return;
  [running, browser] = await Promise.all([startTestConsole(database.url), launchBrowser()]);
  provider = await startTestProvider({
    redirectUri: new URL('../api/v1/credentials/oauth/callback', running.url).href,
  });
  running.api.egressAllow.add(provider.host);
  await registerBuiltinPackages(running.api.deps);
}, 240_000);

test.afterAll(async () => {
  await browser?.close();
  await provider?.close();
  await running?.close();
});

const request = (config: Record<string, unknown>) => ({
  id: 'ask',
  node: 'core:http-request',
  version: '^1.0.0',
  config,
});

describe.skipIf(browserIsMissing)(`The credential of a node${skippedSuffix}`, () => {
  test('is added, connected at the provider and tested without leaving the editor', startsProcesses, async () => {
    const settings = provider.config();
    const { id, address } = await openDraft(running, 'With a credential', [request({ url: 'https://erp.example' })]);
    const page = await openPage(browser, running, `${address}?node=ask`);
    const field = page.locator('[data-field="credential"]');
    await page.getByLabel(/^URL/).fill('https://erp.example/orders');
    await field.getByRole('button', { name: 'New credential' }).click();
    await field.getByLabel('Type of the credential').selectOption({ label: 'OAuth 2' });
    await field.getByLabel('Name', { exact: true }).fill('Accounts');
    await field.getByLabel('Authorisation URL').fill(String(settings['authorize_url']));
    await field.getByLabel('Token URL').fill(String(settings['token_url']));
    await field.getByLabel('Client id').fill(String(settings['client_id']));
    await field.getByLabel('Client secret').fill(String(settings['client_secret']));
    await field.getByLabel('Scopes').fill(String(settings['scopes']));
    await field.getByRole('button', { name: 'Create' }).click();
    await field.getByText('State: Pending').waitFor();
    await field.getByRole('button', { name: 'Sign in at the provider' }).click();
    await field.getByText('The credential is connected.').waitFor();
    await field.getByRole('button', { name: 'Test' }).click();
    await field.getByText(/^Nothing was tested/).waitFor();
    const config = (await draftNodes(running, id))[0]?.config;
    expect(config).toEqual({ url: 'https://erp.example/orders', credential: expect.any(Number) });
    expect(page.url()).toContain('editor');
    await page.context().close();
  });

  test('is added by keyboard; Escape closes the form of the credential alone', startsProcesses, async () => {
    const { id, address } = await openDraft(running, 'By keyboard', [request({ url: 'https://erp.example' })]);
    const page = await openPage(browser, running, `${address}?node=ask`);
    const field = page.locator('[data-field="credential"]');
    await tabTo(page, field.getByRole('button', { name: 'New credential' }));
    await page.keyboard.press('Enter');
    await field.getByLabel('Name', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await field.getByRole('button', { name: 'New credential' }).click();
    await tabTo(page, field.getByLabel('Name', { exact: true }));
    await page.keyboard.type('Key of the ERP');
    await page.keyboard.press('Tab');
    await page.keyboard.type('secret');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await draftNodes(running, id))[0]?.config['credential']).toEqual(expect.any(Number));
    expect(await field.getByRole('combobox').first().locator('option:checked').innerText()).toBe('Key of the ERP');
    await page.context().close();
  });

  test('is said to be gone where it was deleted', startsProcesses, async () => {
    const { address } = await openDraft(running, 'Gone', [request({ url: 'https://erp.example', credential: 99_999 })]);
    const page = await openPage(browser, running, `${address}?node=ask`);
    await page.getByText('This credential was deleted, or you may not read it.').waitFor();
    await page.context().close();
  });
});
