import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { browserIsMissing, launchBrowser, launchProfile, skippedSuffix } from '#test/setup/browser.ts';
import { account, openSignedIn, patient, test } from '#test/setup/console-test.ts';
import { chooseUser } from '#test/setup/console.ts';

const hourMs = 3_600_000;
const signInButton = (page: Page) => page.getByRole('button', { name: 'Sign in' });

/** The addresses that the page goes to and fetches, from now on. */
function watchRequests(page: Page): string[] {
  const urls: string[] = [];
  page.on('request', (request) => urls.push(request.url()));
  return urls;
}

describe.skipIf(browserIsMissing)(`signing in to the console${skippedSuffix}`, { timeout: 90_000 }, () => {
  // Started here, so that the first test does not spend its time on them.
  test.beforeAll(({ served, browser }) => expect(browser.isConnected() && served.url).toBeTruthy(), 180_000);

  test('leads back to the address with its filters, and leaves no token in the browser', async ({
    served,
    context,
  }) => {
    const address = `${served.url}t/acme-shop/runs?status=FAILED`;
    const page = await openSignedIn(context, address);
    expect(page.url()).toBe(address);
    const stored = await page.evaluate(() =>
      JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
    );
    expect(stored).not.toMatch(/eyJ|verifier/);
    const cookies = await context.cookies([served.url, `http://localhost:${served.issuer.port}/dev/oidc/authorize`]);
    expect(cookies.map(({ path, httpOnly }) => [path, httpOnly])).toEqual([['/dev/oidc', true]]);
  });

  test('is asked once: a page that is loaded again, and a page of a closed tab, return at once', async ({
    served,
    context,
  }) => {
    const address = `${served.url}t/acme-shop/runs`;
    const page = await openSignedIn(context, address);
    await page.reload();
    await account(page).waitFor();
    expect(page.url()).toBe(address);
    await page.close();
    const later = await context.newPage();
    await later.goto(address);
    await account(later).waitFor();
    expect(later.url()).toBe(address);
  });

  test('in one tab signs in the next, which asks the issuer nothing', async ({ served, context }) => {
    await openSignedIn(context, served.url);
    const next = await context.newPage();
    const urls = watchRequests(next);
    await next.goto(`${served.url}t/acme-shop/runs`);
    await account(next).waitFor();
    expect(urls.filter((url) => url.includes('/dev/oidc'))).toEqual([]);
  });

  test('takes another user after signing out', async ({ served, context }) => {
    const page = await openSignedIn(context, served.url);
    await account(page).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    expect(page.url()).toBe(served.url);
    await signInButton(page).click();
    await chooseUser(page, { role: 'User' });
    await account(page, 'User').waitFor();
  });

  test.for([
    ['an hour behind', -hourMs],
    ['an hour ahead', hourMs],
  ] as const)('works with a clock that is %s', async ([, offsetMs], { served, context }) => {
    await context.clock.install({ time: Date.now() + offsetMs });
    const page = await openSignedIn(context, `${served.url}t/acme-shop/runs`);
    await page.getByText('Live', { exact: true }).waitFor();
  });

  test('says that the issuer is down, and works when it is back', async ({ served, context }) => {
    served.issuer.shut();
    const page = await context.newPage();
    try {
      await page.goto(served.url);
      await page.getByText('The sign-in server cannot be reached.').waitFor();
    } finally {
      served.issuer.open();
    }
    await signInButton(page).click();
    await chooseUser(page);
    await account(page).waitFor();
  });

  test('says that a return from the issuer which nobody waits for was interrupted', async ({ served, context }) => {
    const page = await context.newPage();
    await page.goto(`${served.url}callback?code=old&state=old`);
    await page.getByText('was begun in another window').waitFor();
    expect(page.url()).toBe(served.url);
  });

  test('over plain http beyond localhost is explained in one sentence', async ({ served }) => {
    const browser = await launchBrowser('--host-resolver-rules=MAP shop.example 127.0.0.1');
    try {
      const page = await browser.newPage();
      await page.goto(served.url.replace('localhost', 'shop.example'));
      await page.getByText('Browsers sign in over https only').waitFor(patient);
      expect(await signInButton(page).count()).toBe(0);
    } finally {
      await browser.close();
    }
  });

  test('with storage blocked is explained in one sentence', async ({ served }) => {
    const profile = await mkdtemp(join(tmpdir(), 'causeway-profile-'));
    await mkdir(join(profile, 'Default'));
    // The setting "Block all cookies", which also blocks storage.
    const settings = { profile: { default_content_setting_values: { cookies: 2 } } };
    await writeFile(join(profile, 'Default', 'Preferences'), JSON.stringify(settings));
    const context = await launchProfile(profile);
    try {
      const page = await context.newPage();
      await page.goto(served.url);
      await page.getByText('does not let this page store anything').waitFor(patient);
    } finally {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    }
  });
});
