import { describe, expect } from 'vitest';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { patient, test } from '#test/setup/console-test.ts';
import { chooseUser } from '#test/setup/console.ts';

describe.skipIf(browserIsMissing)(`The help of a form${skippedSuffix}`, { timeout: 180_000 }, () => {
  test.for([
    { locale: 'de-DE', help: 'Name des Systems, das empfängt.', loadsGerman: true },
    { locale: 'en-GB', help: 'Of the receiving system.', loadsGerman: false },
  ])('is in the language of the browser: $locale', async (row, { served, browser, onTestFinished }) => {
    const context = await browser.newContext({ locale: row.locale });
    context.setDefaultTimeout(patient.timeout);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const files: string[] = [];
    page.on('request', (request) => files.push(request.url()));
    await page.goto(`${served.url}t/acme-shop/webhook-destinations?do=add`);
    await chooseUser(page);
    await page.getByText(row.help, { exact: true }).waitFor();
    expect(files.some((file) => file.includes('/help.de'))).toBe(row.loadsGerman);
  });
});
