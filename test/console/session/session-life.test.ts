import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { account, openSignedIn, patient, test } from '#test/setup/console-test.ts';
import { chooseUser, type TestConsole } from '#test/setup/console.ts';

/** The console renews a token of 15 minutes after 14. */
const untilRenewalMs = 841_000;

const live = (page: Page) => page.getByText('Live', { exact: true });

/** The tokens with which the page's sockets begin. */
function watchSockets(page: Page): string[] {
  const tokens: string[] = [];
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      const message = JSON.parse(String(payload)) as { type: string; payload?: { authorization: string } };
      if (message.type === 'connection_init') tokens.push(message.payload?.authorization ?? '');
    }),
  );
  return tokens;
}

async function openRuns({ url }: TestConsole, context: BrowserContext): Promise<Page> {
  await context.clock.install();
  const page = await openSignedIn(context, `${url}t/acme-shop/runs`);
  await live(page).waitFor();
  return page;
}

const sessionsFile = ({ api }: TestConsole) => join(api.dataDir, 'dev-oidc', 'sessions.json');

describe.skipIf(browserIsMissing)(`a session of the console${skippedSuffix}`, { timeout: 120_000 }, () => {
  // Started here, so that the first test does not spend its time on them.
  test.beforeAll(({ served, browser }) => expect(browser.isConnected() && served.url).toBeTruthy(), 180_000);

  test('is renewed by one tab for all, whose sockets move to the new token', async ({ served, context }) => {
    const first = await openRuns(served, context);
    const second = await context.newPage();
    const sockets = [watchSockets(first), watchSockets(second)];
    await second.goto(first.url());
    await live(second).waitFor();
    const [old] = sockets[1] ?? [];
    const exchanges: string[] = [];
    context.on('request', (request) => {
      if (request.url().endsWith('/token')) exchanges.push(request.postData() ?? '');
    });
    await context.clock.fastForward(untilRenewalMs);
    await expect
      .poll(() => sockets.map((tokens) => tokens.at(-1) !== undefined && tokens.at(-1) !== old), patient)
      .toEqual([true, true]);
    expect(sockets[0]?.at(-1)).toBe(sockets[1]?.at(-1));
    expect(exchanges.length).toBe(1);
    expect(exchanges[0]).toContain('grant_type=refresh_token');
    await live(first).waitFor();
    await live(second).waitFor();
  });

  test('that was ended at the issuer is begun again in a window, beside what was entered', async ({
    served,
    context,
  }) => {
    const page = await openRuns(served, context);
    await page.getByPlaceholder('Workflow, error or run id').fill('half a wor');
    await writeFile(sessionsFile(served), '{}');
    await context.clock.fastForward(untilRenewalMs);
    await page.getByText('You were signed out.').waitFor();
    await page.getByText('Your session has ended').waitFor();
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await page.getByText('You were signed out.').waitFor({ state: 'hidden' });
    await live(page).waitFor();
    expect(await page.getByPlaceholder('Workflow, error or run id').inputValue()).toBe('half a wor');
    // The window that came back from the issuer closes by itself.
    await expect.poll(() => context.pages().length, patient).toBe(1);
  });

  test('ends in every tab when one signs out', async ({ served, context }) => {
    const page = await openRuns(served, context);
    const other = await context.newPage();
    await other.goto(page.url());
    await live(other).waitFor();
    await account(page).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    await other.getByText('You were signed out.').waitFor();
    expect(await readFile(sessionsFile(served), 'utf8')).not.toContain('dev-admin');
  });

  test('is that of the other user in every tab when one signs in as another', async ({ served, context }) => {
    const page = await openRuns(served, context);
    const other = await context.newPage();
    await other.goto(page.url());
    await live(other).waitFor();
    await account(other).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.getByRole('button', { name: 'Sign in' }).click();
    await chooseUser(other, { role: 'User' });
    await account(page, 'User').waitFor();
    await live(page).waitFor();
  });

  test('waits for an issuer that is down, and goes on by itself', async ({ served, context }) => {
    const page = await openRuns(served, context);
    served.issuer.shut();
    try {
      await context.clock.fastForward(untilRenewalMs + 35_000);
      await page.getByText('Your session continues as soon as it answers').waitFor();
    } finally {
      served.issuer.open();
    }
    await page.getByText('Your session continues as soon as it answers').waitFor({ state: 'hidden' });
    await live(page).waitFor();
  });

  test('that comes back with fewer roles says which one is gone', async ({ served, context }) => {
    const page = await openRuns(served, context);
    const sessions = await readFile(sessionsFile(served), 'utf8');
    await writeFile(sessionsFile(served), sessions.replaceAll('"roles":["admin"]', '"roles":["user"]'));
    await context.clock.fastForward(untilRenewalMs);
    await page.getByText('You no longer have the role admin').waitFor();
  });

  test('shows that the server is away, and is live again when it is back', async ({ served, context }) => {
    const page = await openRuns(served, context);
    served.server.shut();
    try {
      await page.getByText('Offline').waitFor();
    } finally {
      served.server.open();
    }
    await live(page).waitFor();
  });
});
