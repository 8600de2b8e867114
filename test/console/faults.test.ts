import type { BrowserContext, Page, Route } from 'playwright-core';
import { describe, expect } from 'vitest';
import { createProduct } from '#src/commerce/products/products.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { openSignedIn, patient, test } from '#test/setup/console-test.ts';
import type { TestConsole } from '#test/setup/console.ts';

type Fault = Parameters<Route['fulfill']>[0];

const html = { contentType: 'text/html', body: '<html><h1>Bad gateway</h1></html>' };
const graph = (code: string, more = {}) => ({
  contentType: 'application/json',
  body: JSON.stringify({ errors: [{ message: code, extensions: { code, ...more } }] }),
});
const faults = {
  'a page of a proxy': { status: 500, ...html },
  'the rate limit': { status: 429, headers: { 'retry-after': '1' }, ...graph('TOO_MANY_ATTEMPTS') },
  'an error of the server': { status: 500, ...graph('INTERNAL', { requestId: 'r-17' }) },
} satisfies Record<string, Fault>;

/** Answers what the page sends to the graph, instead of the server, where the text of the operation matches. */
const breakGraph = (page: Page, fault: Fault, operation = /./) =>
  page.route('**/graphql', (route) =>
    operation.test(route.request().postData() ?? '') ? route.fulfill(fault) : route.fallback(),
  );

async function openProduct({ api, url }: TestConsole, context: BrowserContext, sku: string): Promise<Page> {
  await createProduct(api.deps, systemActor('acme', 'acme-shop'), { sku, name: `Chair ${sku}` });
  const page = await openSignedIn(context, `${url}t/acme-shop/products?q=${sku}`);
  await page.getByRole('grid').getByRole('link', { name: sku }).click();
  await page.getByRole('heading', { name: `Chair ${sku}` }).waitFor();
  return page;
}

describe.skipIf(browserIsMissing)(`the console with a server that fails${skippedSuffix}`, { timeout: 240_000 }, () => {
  test.beforeAll(({ served, browser }) => expect(browser.isConnected() && served.url).toBeTruthy(), 180_000);

  test.for(Object.entries(faults))('reads a list by itself after %s', async ([name, fault], { served, context }) => {
    await context.clock.install();
    const page = await openSignedIn(context, `${served.url}t/acme-shop/orders`);
    await page.getByRole('heading', { name: 'Orders' }).waitFor();
    await breakGraph(page, fault);
    await page.getByRole('navigation').getByRole('link', { name: 'Runs' }).click();
    const failed = page.getByText('This could not be loaded');
    await expect
      .poll(async () => {
        await context.clock.fastForward(10_000);
        return failed.isVisible();
      }, patient)
      .toBe(true);
    const passes = name !== 'an error of the server';
    // What does not pass by itself names the request, by which the log tells more.
    if (!passes) await page.getByText('look up request r-17').waitFor();
    // By then the list has been read a second time, as it is once its changes are reported.
    await context.clock.fastForward(10_000);
    await failed.waitFor();
    await page.unroute('**/graphql');
    // Pressed only if it is still there: a change that is reported meanwhile has the list read as well.
    const again = page.getByRole('button', { name: 'Try again' });
    if (!passes) await again.evaluateAll((buttons) => buttons.forEach((button) => (button as HTMLElement).click()));
    await expect
      .poll(async () => {
        await context.clock.fastForward(10_000);
        return failed.isVisible();
      }, patient)
      .toBe(false);
  });

  test.for(Object.entries(faults))(
    'keeps a page and what was entered on it when %s comes instead of a newer one, and says how old it is',
    async ([, fault], { served, context }) => {
      await context.clock.install();
      const page = await openProduct(served, context, `A${fault.status}${fault.contentType.length}`);
      await page.getByRole('button', { name: 'Edit' }).click();
      const name = page.getByRole('complementary', { name: 'Edit' }).getByLabel('Name');
      await name.fill('half a na');
      await breakGraph(page, fault);
      await context.clock.fastForward(180_000);
      await page.getByRole('button', { name: 'As of' }).click();
      await expect
        .poll(async () => {
          await context.clock.fastForward(10_000);
          return page.getByText('What is shown may be out of date.').isVisible();
        }, patient)
        .toBe(true);
      expect(await name.inputValue()).toBe('half a na');
      expect(await page.getByRole('button', { name: 'As of' }).innerText()).toContain('min');
    },
  );

  test.for([
    { fault: { status: 502, ...html }, said: 'may have been done or not' },
    { fault: faults['the rate limit'], said: 'Wait a moment, and try again' },
    { fault: faults['an error of the server'], said: 'look up request r-17' },
  ])(
    'says what to do after a change that was answered with $fault.status',
    async ({ fault, said }, { served, context }) => {
      const page = await openProduct(served, context, `B${fault.status}`);
      await page.getByRole('button', { name: 'Edit' }).click();
      const panel = page.getByRole('complementary', { name: 'Edit' });
      await panel.getByLabel('Name').fill('another name');
      await breakGraph(page, fault, /mutation/);
      await panel.getByRole('button', { name: 'Save' }).click();
      await panel.getByRole('alert').getByText(said).waitFor();
      expect(await panel.getByLabel('Name').inputValue()).toBe('another name');
    },
  );

  test('shows the rows of the newest filter when the answer to an older one comes later', async ({
    served,
    context,
  }) => {
    const page = await openProduct(served, context, 'LATE');
    await page.goto(`${served.url}t/acme-shop/products`);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/graphql', async (route) => {
      if ((route.request().postData() ?? '').includes('"search":"nothing"')) await held;
      await route.continue();
    });
    const search = page.getByRole('searchbox').first();
    await search.fill('nothing');
    await page.waitForURL(/=nothing/);
    await search.fill('LATE');
    await page.getByRole('link', { name: 'LATE' }).waitFor();
    const late = page.waitForResponse((response) => (response.request().postData() ?? '').includes('"nothing"'));
    release();
    await (await late).finished();
    await page.waitForTimeout(100);
    expect(await page.getByRole('link', { name: 'LATE' }).count()).toBe(1);
  });
});
