import type { Browser } from 'playwright-core';
import { describe, expect } from 'vitest';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { packageArchive } from '#test/automation/packages/package-archive.ts';
import { openPage } from '#test/console/commerce/signed-in.ts';
import { test } from '#test/setup/app-test.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { startTestConsole, type TestConsole } from '#test/setup/console.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';
import { draftNodes, openDraft } from './drafts.ts';

let running: TestConsole;
let browser: Browser;

/** Its choices follow its other field and the search; it refuses until that field is filled. */
const chooses = `export const execute = () => ({});
  export const resolve = ({ target, config, search }) => {
    if (!config.shop) throw new Error('Fill in the shop first.');
    const found = ['red', 'green'].filter((name) => name.includes(search ?? ''));
    return { fields: [{ key: target, type: 'select', options: found.map((name) => ({ value: name, label: config.shop + ' ' + name })) }] };
  };`;

test.beforeAll(async ({ database }) => {
  if (browserIsMissing) return;
  [running, browser] = await Promise.all([startTestConsole(database.url), launchBrowser()]);
  const config = [
    { key: 'shop', type: 'string', label: 'Shop' },
    { key: 'colour', type: 'select', label: 'Colour', dynamic: true },
  ];
  const nodes = [{ name: 'paint', version: '1.0.0', manifest: { config }, code: chooses }];
  const archive = packageArchive({ name: 'paint', version: '1.0.0', namespace: 'paint', nodes });
  await registerNodePackage(running.api.deps, { orgId: 'acme', archive });
}, 240_000);

test.afterAll(async () => {
  await browser?.close();
  await running?.close();
});

const request = {
  id: 'ask',
  node: 'core:http-request',
  version: '^1.0.0',
  config: { url: 'https://erp.example', headers: { accept: 'text/csv' } },
};
const cases = [
  { equals: 1, branch: 'one' },
  { equals: 2, branch: 'two' },
];
const choice = {
  id: 'choose',
  node: 'core:switch',
  version: '^1.0.0',
  config: { value: '{{ trigger.payload.x }}', cases },
};

describe.skipIf(browserIsMissing)(`A field for a list${skippedSuffix}`, () => {
  test('says that it takes an expression, and writes the braces of a path', startsProcesses, async () => {
    const { id, address } = await openDraft(running, 'Items', [
      { id: 'each', node: 'core:for-each', version: '^1.0.0', config: {} },
    ]);
    const page = await openPage(browser, running, `${address}?node=each`);
    const items = page.locator('[data-field="items"]');
    await items.getByPlaceholder('A list, or {{ an expression }}').fill('trigger.payload.lines');
    await items.getByText('An expression stands in {{ }}.').waitFor();
    await items.getByRole('button', { name: 'Write {{ trigger.payload.lines }}' }).click();
    await expect
      .poll(async () => (await draftNodes(running, id))[0]?.config['items'])
      .toBe('{{ trigger.payload.lines }}');
    await items.getByText('An expression stands in {{ }}.').waitFor({ state: 'detached' });
    await page.context().close();
  });
});

describe.skipIf(browserIsMissing)(`A field that holds rows${skippedSuffix}`, () => {
  test('is edited as a table by mouse: cells, rows and their order', startsProcesses, async () => {
    const { id, address } = await openDraft(running, 'Rows by mouse', [request, choice]);
    const config = async (at: number) => (await draftNodes(running, id))[at]?.config;
    const page = await openPage(browser, running, `${address}?node=ask`);
    const headers = page.locator('[data-field="headers"]');
    await headers.getByRole('button', { name: 'As a table' }).click();
    await headers.getByLabel('Value, row 1').fill('{{ trigger.payload.type }}');
    await headers.getByRole('button', { name: 'Add a row' }).click();
    await headers.getByLabel('Name, row 2').fill('x-try');
    // A value of the data goes into the cell that has the focus, also where that is empty.
    await headers.getByLabel('Value, row 2').focus();
    await page.getByRole('tree', { name: 'Data of earlier steps' }).getByTitle('trigger.type', { exact: true }).click();
    await expect.poll(() => headers.getByLabel('Value, row 2').textContent()).toBe('{{ trigger.type }}');
    expect(await headers.getByLabel('Name, row 2').inputValue()).toBe('x-try');
    // Emptied first: what replaces a coloured text would be given its colour by an inline style, which the policy refuses.
    await headers.getByLabel('Value, row 2').fill('');
    await headers.getByLabel('Value, row 2').fill('1');
    await expect.poll(() => config(0)).toMatchObject({ headers: { accept: '{{ trigger.payload.type }}', 'x-try': 1 } });
    await headers.getByLabel('Name, row 2').fill('accept');
    await headers.getByText(/^Two rows are called accept/).waitFor();
    await headers.getByRole('button', { name: 'Remove row 2' }).click();
    await expect.poll(async () => (await config(0))?.['headers']).toEqual({ accept: '{{ trigger.payload.type }}' });
    await headers.getByRole('button', { name: 'As JSON' }).click();
    await headers.getByRole('button', { name: 'As a table' }).click();
    expect(await headers.getByLabel('Value, row 1').textContent()).toBe('{{ trigger.payload.type }}');

    await page.getByRole('group', { name: 'Graph of the workflow' }).locator('[data-path="choose"]').dblclick();
    const rows = page.locator('[data-field="cases"]');
    await rows.getByRole('button', { name: 'As a table' }).click();
    await rows.getByTitle('Drag row 2').dragTo(rows.getByRole('row').nth(1));
    await expect.poll(async () => (await config(1))?.['cases']).toEqual(cases.toReversed());
    await rows.getByRole('button', { name: 'Move row 1 down' }).click();
    await expect.poll(async () => (await config(1))?.['cases']).toEqual(cases);
    await page.context().close();
  });
});

describe.skipIf(browserIsMissing)(`A field whose choices depend on others${skippedSuffix}`, () => {
  test('asks the node, says why it refuses, asks again, and narrows by the search', startsProcesses, async () => {
    const { id, address } = await openDraft(running, 'Choices', [
      { id: 'paint', node: 'paint:paint', version: '^1.0.0', config: {} },
    ]);
    const page = await openPage(browser, running, `${address}?node=paint`);
    const colour = page.locator('[data-field="colour"]');
    await colour.getByText(/^The choices cannot be read: .*Fill in the shop first\./).waitFor();
    await colour.getByRole('button', { name: 'Try again' }).click();
    await colour.getByText(/^The choices cannot be read/).waitFor();
    await page.getByLabel(/^Shop/).fill('Acme');
    await colour.getByText('2 choices').waitFor();
    await colour.getByRole('searchbox').fill('gre');
    await colour.getByText('One choice').waitFor();
    await colour.getByRole('combobox').selectOption('Acme green');
    await expect
      .poll(async () => (await draftNodes(running, id))[0]?.config)
      .toEqual({ shop: 'Acme', colour: 'green' });
    await page.context().close();
  });
});
