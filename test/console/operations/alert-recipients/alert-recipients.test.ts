import type { Browser, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { createMailer } from '#src/infra/mail/mailer.ts';
import { type MailServer, startMailServer } from '#test/infra/mail/mail-server.ts';
import { test } from '#test/setup/app-test.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { chooseUser, startTestConsole, type TestConsole } from '#test/setup/console.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';

let running: TestConsole;
let browser: Browser;
let mail: MailServer;

test.beforeAll(async ({ database }) => {
  if (browserIsMissing) return;
  [running, browser, mail] = await Promise.all([startTestConsole(database.url), launchBrowser(), startMailServer()]);
  running.api.services.alerts.mailer = createMailer({ url: mail.url, from: 'alerts@hub.example' });
});

test.afterAll(async () => {
  await browser?.close();
  await running?.close();
  await mail?.stop();
});

async function openRecipients(): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(running.url);
  await chooseUser(page);
  await page.goto(`${running.url}t/acme-shop/alert-recipients`);
  return page;
}

describe.skipIf(browserIsMissing)(`Alert recipients${skippedSuffix}`, () => {
  test('are added, tested with the outcome at once, and deleted', startsProcesses, async () => {
    const page = await openRecipients();
    await page.getByRole('button', { name: 'New alert recipient' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Operations');
    await page.getByLabel('Failed runs').check();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByLabel('Addresses 1').fill('ops@shop.example');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Operations' }).waitFor();

    const sendTest = page.getByRole('button', { name: 'Send a test message' });
    await sendTest.click();
    await sendTest.last().click();
    await page.getByText('The test message was taken.').waitFor();
    expect(mail.mails.map(({ to }) => to)).toEqual([['ops@shop.example']]);
    mail.answer = { code: 554, message: 'Not from you' };
    await sendTest.click();
    await sendTest.last().click();
    await page.getByText(/The test message was not taken\..*Not from you/).waitFor();
    await page.getByRole('group', { name: 'Last messages' }).getByText('Failed', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete' }).last().click();
    await page.getByText('The alert recipient was deleted.').waitFor();
    await page.getByText('Nobody is notified of failures yet.').waitFor();
    await page.context().close();
  });
});
