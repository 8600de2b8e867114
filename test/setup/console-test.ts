import type { BrowserContext, Page } from 'playwright-core';
import { test as base } from './app-test.ts';
import { launchBrowser } from './browser.ts';
import { chooseUser, startTestConsole } from './console.ts';
import { type TestEngineOptions, startTestEngine } from './engine.ts';

/** How long a test waits for the page, which shares its processors with every other test. */
export const patient = { timeout: 60_000 };

/**
 * `test` with the console in a browser:
 *
 * - `served`: the app that serves it, started once a file
 * - `startServedEngine()`: an engine beside it, which a restart of the app must follow with `restart`
 * - `browser`: Chromium, once a file
 * - `context`: cookies and storage of one test, closed at its end
 */
export const test = base
  .extend('served', { scope: 'file' }, async ({ database }, { onCleanup }) => {
    const served = await startTestConsole(database.url);
    onCleanup(() => served.close());
    return served;
  })
  .extend('startServedEngine', { scope: 'file' }, async ({ served }, { onCleanup }) => {
    const started: { stop: () => Promise<void> }[] = [];
    onCleanup(async () => {
      for (const one of started) await one.stop();
    });
    return async (options: TestEngineOptions = {}) => {
      let engine = await startTestEngine(served.api, options);
      const both = {
        stop: () => engine.stop(),
        /** Server and engine go away and come back. */
        async restart(whileDown?: () => Promise<void>) {
          await engine.stop();
          await served.restart(whileDown);
          engine = await startTestEngine(served.api, options);
        },
      };
      started.push(both);
      return both;
    };
  })
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern which fixtures are asked for
  .extend('browser', { scope: 'file' }, async ({}, { onCleanup }) => {
    const browser = await launchBrowser();
    onCleanup(() => browser.close());
    return browser;
  })
  .extend('context', async ({ browser }, { onCleanup }) => {
    const context = await browser.newContext();
    context.setDefaultTimeout(patient.timeout);
    onCleanup(() => context.close());
    return context;
  });

/** The button that names who is signed in. */
export const account = (page: Page, name = 'Administrator') => page.getByRole('button', { name: `Account: ${name}` });

/** Opens an address of the console in a new tab and signs in as an administrator. */
export async function openSignedIn(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(address);
  await chooseUser(page);
  await account(page).waitFor();
  return page;
}
