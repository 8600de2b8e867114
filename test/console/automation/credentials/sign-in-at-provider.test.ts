import type { Browser } from 'playwright-core';
import { describe, expect } from 'vitest';
import { registerBuiltinPackages } from '#src/automation/packages/builtin-packages.service.ts';
import { openPage } from '#test/console/commerce/signed-in.ts';
import { test } from '#test/setup/app-test.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { startTestConsole, type TestConsole } from '#test/setup/console.ts';
import { startTestProvider, type TestProvider } from '#test/setup/oidc-provider.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';

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
});

test.afterAll(async () => {
  await browser?.close();
  await provider?.close();
  await running?.close();
});

describe.skipIf(browserIsMissing)(`A credential of an OAuth provider${skippedSuffix}`, () => {
  test(
    'is added by the fields of its type, connected at the provider, tested, and never shows its secret',
    startsProcesses,
    async () => {
      const config = provider.config();
      const page = await openPage(browser, running, 'credentials');
      await page.getByRole('link', { name: 'New credential' }).click();
      await page.getByRole('link', { name: 'OAuth 2' }).click();
      await page.getByLabel('Name', { exact: true }).fill('Accounts');
      await page.getByLabel('Authorisation URL').fill(String(config['authorize_url']));
      await page.getByLabel('Token URL').fill(String(config['token_url']));
      await page.getByLabel('Client id').fill(String(config['client_id']));
      await page.getByLabel('Client secret').fill(String(config['client_secret']));
      await page.getByLabel('Scopes').fill(String(config['scopes']));
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'Accounts' }).waitFor();
      await page.getByText('Pending').waitFor();

      await page.getByRole('button', { name: 'Sign in at the provider' }).click();
      await page.getByText('/api/v1/credentials/oauth/callback').waitFor();
      await page.getByRole('button', { name: 'Sign in at the provider' }).last().click();
      await page.getByText('The credential is connected.').waitFor();
      await page.getByRole('heading', { name: 'Accounts' }).waitFor();
      await page.getByText('Active').waitFor();
      expect(page.url()).not.toContain('code');

      await page.getByRole('button', { name: 'Test' }).click();
      await page.getByRole('button', { name: 'Test' }).last().click();
      await page.getByText(/^Nothing was tested/).waitFor();
      await page.getByText('Not tested').waitFor();
      await page.getByRole('button', { name: 'Raw JSON' }).click();
      expect(await page.content()).not.toContain(String(config['client_secret']));
      await page.context().close();
    },
  );

  test('says what a provider refused', startsProcesses, async () => {
    const page = await openPage(
      browser,
      running,
      `credentials/authorized?oauth_state=console.acme-shop.${'a'.repeat(43)}&oauth_error=access_denied`,
    );
    await page.getByRole('heading', { name: 'The credential was not connected' }).waitFor();
    await page.getByText('access_denied').waitFor();
    await page.getByRole('link', { name: 'To the credentials' }).click();
    await page.getByRole('heading', { name: 'Credentials' }).waitFor();
    await page.context().close();
  });
});
