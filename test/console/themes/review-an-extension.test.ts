import type { Browser, Locator, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { openPage, tabTo } from '#test/console/commerce/signed-in.ts';
import { test } from '#test/setup/app-test.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { chooseUser, startTestConsole, type TestConsole } from '#test/setup/console.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';
import { serveExtension } from '#test/themes/extension-site.ts';
import { haveTheme, run } from '#test/themes/theme-calls.ts';

let running: TestConsole;
let browser: Browser;

test.beforeAll(async ({ database }) => {
  if (browserIsMissing) return;
  [running, browser] = await Promise.all([startTestConsole(database.url), launchBrowser()]);
  await haveTheme(running.api, '2.1.0');
});

test.afterAll(async () => {
  await browser?.close();
  await running?.close();
});

/** An extension whose version 1.0.0 is published and whose 1.1.0 waits for a review. Its block shows its heading, in its colour. */
async function uploadVersions(title: string): Promise<string> {
  const site = await serveExtension(running.api, { title });
  site.answers['/theme-extensions/islands/Stars'] = (request, response) => {
    const props = new URL(request.url ?? '', site.url).searchParams.get('props') ?? '';
    const { heading, colour } = JSON.parse(props) as Record<string, string>;
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'x-extension-version': site.manifest.version })
      .end(`<h2 class="acme" style="background-color: ${colour}">${heading}</h2>`);
  };
  site.files['/assets/reviews.css'] = '.acme { color: rgb(1, 2, 3); background-color: rgb(4, 5, 6) }';
  const { extension } = await run(running.api, 'registerExtension', { url: site.url });
  await run(running.api, 'publishExtension', { id: extension?.id });
  const [stars, list] = site.manifest.blocks;
  const { unit: _unit, ...settings } = stars?.settings ?? {};
  const heading = { type: 'text', label: 'Heading', default: 'What customers say' } as const;
  site.manifest = {
    ...site.manifest,
    version: '1.1.0',
    blocks: [{ ...stars, settings: { ...settings, heading } }, list] as never,
  };
  await run(running.api, 'registerExtension', { url: site.url });
  return site.manifest.name;
}

async function openAsOperator(): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(`${running.url}t/acme-shop/themes`);
  await chooseUser(page, { role: 'Operator' });
  await page.getByRole('navigation').first().waitFor();
  return page;
}

/** What the reviewer reads of the two versions, line by line. */
async function expectDifference(page: Page): Promise<void> {
  await page.getByText('Compared with version 1.0.0.').waitFor();
  const section = page.getByRole('region', { name: 'What it changes' });
  expect((await section.getByRole('listitem').allInnerTexts()).map((text) => text.split(/\s*\n\s*/))).toEqual([
    ['~', 'settings.heading.default', 'Reviews', 'What customers say'],
    ['−', 'settings.heading.placeholder', 'Reviews'],
    ['−', 'settings.unit', expect.stringMatching(/^\{ "type": "radios"/)],
  ]);
}

/** The heading in the frame, drawn with the extension's stylesheet and, over it, the style of its attribute. */
async function expectPreview(page: Page, heading: string): Promise<void> {
  const shown = page.frameLocator('iframe[title="Preview of Stars"]').getByRole('heading', { name: heading });
  await shown.waitFor();
  const look = await shown.evaluate((element) => {
    const { color, backgroundColor } = getComputedStyle(element);
    return { color, backgroundColor };
  });
  expect(look).toEqual({ color: 'rgb(1, 2, 3)', backgroundColor: 'rgb(255, 170, 0)' });
}

/** What acme-shop has pinned of an extension. */
async function pinnedVersions(name: string): Promise<string[]> {
  const { data } = await running.api.graphql<{
    installations: { edges: { node: { whyHidden: string | null; extension: { version: string } } }[] };
  }>(
    `query ($name: String) { installations(filter: { name: $name, status: [INSTALLED] }) {
      edges { node { whyHidden extension { version } } }
    } }`,
    { name },
  );
  return data.installations.edges.map(({ node }) => node.whyHidden ?? node.extension.version);
}

const suite = `Review an extension and install it${skippedSuffix}`;
describe.skipIf(browserIsMissing)(suite, startsProcesses, () => {
  test('with the mouse', async () => {
    const name = await uploadVersions('Customer reviews');
    const violations: string[] = [];
    const operator = await openAsOperator();
    operator.on('console', (message) => void (message.type() === 'error' && violations.push(message.text())));
    await operator.getByRole('link', { name: 'Review', exact: true }).click();
    await operator.getByRole('link', { name: '1 version waits for a review' }).click();
    await operator.getByRole('link', { name: 'Customer reviews' }).click();
    await operator.getByRole('heading', { name: 'Customer reviews 1.1.0' }).waitFor();
    await expectDifference(operator);
    await expectPreview(operator, 'What customers say');
    await operator.getByRole('textbox', { name: 'Heading' }).fill('They like it');
    await expectPreview(operator, 'They like it');
    await operator.getByRole('button', { name: 'Publish' }).click();
    await operator.getByRole('complementary', { name: 'Publish' }).getByRole('button', { name: 'Publish' }).click();
    await operator.getByText('The version is published.').waitFor();
    expect(violations).toEqual([]);
    await operator.context().close();

    const admin = await openPage(browser, running, 'extensions');
    expect(await admin.getByRole('link', { name: 'Review', exact: true }).count()).toBe(0);
    await admin.getByRole('row').filter({ hasText: 'Customer reviews' }).filter({ hasText: '1.1.0' }).click();
    await admin.getByRole('button', { name: 'Install' }).click();
    await admin.getByRole('complementary', { name: 'Install' }).getByRole('button', { name: 'Install' }).click();
    await admin.getByRole('heading', { name: 'Customer reviews', exact: true }).waitFor();
    await admin.getByRole('link', { name: '1.1.0' }).waitFor();
    await expectPreview(admin, 'What customers say');
    expect(await pinnedVersions(name)).toEqual(['1.1.0']);
    await admin.context().close();
  });

  test('by keyboard alone', async () => {
    const name = await uploadVersions('Size guide');
    const operator = await openAsOperator();
    const pressOn = (page: Page) => async (target: Locator) => {
      await tabTo(page, target);
      await page.keyboard.press('Enter');
    };
    const press = pressOn(operator);
    await press(operator.getByRole('link', { name: 'Review', exact: true }));
    await press(operator.getByRole('link', { name: /waits? for a review/ }));
    await operator.waitForURL(/status=DRAFT/);
    await press(operator.getByRole('link', { name: 'Size guide' }));
    await operator.getByRole('heading', { name: 'Size guide 1.1.0' }).waitFor();
    await expectDifference(operator);
    await expectPreview(operator, 'What customers say');
    await tabTo(operator, operator.getByRole('textbox', { name: 'Heading' }));
    await operator.keyboard.press('ControlOrMeta+A');
    await operator.keyboard.type('They like it');
    await expectPreview(operator, 'They like it');
    await press(operator.getByRole('button', { name: 'Publish' }));
    await press(operator.getByRole('complementary', { name: 'Publish' }).getByRole('button', { name: 'Publish' }));
    await operator.getByText('The version is published.').waitFor();
    await operator.context().close();

    const admin = await openPage(browser, running, 'extensions?status=PUBLISHED&q=Size');
    const next = pressOn(admin);
    await tabTo(admin, admin.getByRole('link', { name: 'Size guide' }).first());
    await admin.keyboard.press('Enter');
    await admin.getByRole('heading', { name: 'Size guide 1.1.0' }).waitFor();
    await next(admin.getByRole('button', { name: 'Install' }));
    await next(admin.getByRole('complementary', { name: 'Install' }).getByRole('button', { name: 'Install' }));
    await admin.getByRole('heading', { name: 'Size guide', exact: true }).waitFor();
    await expectPreview(admin, 'What customers say');
    expect(await pinnedVersions(name)).toEqual(['1.1.0']);
    await admin.context().close();
  });
});
