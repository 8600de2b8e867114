import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import {
  makeBlob,
  findCanvas,
  EditedWorkflow,
  savedState,
  setNode,
} from '#test/console/automation/editor/editor-page.ts';
import { tabTo } from '#test/console/commerce/signed-in.ts';
import { test } from '#test/setup/app-test.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { startTestConsole, type TestConsole } from '#test/setup/console.ts';

let running: TestConsole;
let browser: Browser;
let directory: string;

test.beforeAll(async ({ database }) => {
  if (browserIsMissing) return;
  [running, browser] = await Promise.all([startTestConsole(database.url), launchBrowser()]);
  directory = await mkdtemp(join(tmpdir(), 'causeway-in-out-'));
}, 240_000);

test.afterAll(async () => {
  await browser?.close();
  await running?.close();
  if (directory) await rm(directory, { recursive: true });
});

const timeout = 180_000;
const n8n = '{"nodes":[{"type":"n8n-nodes-base.set","name":"Set"}],"connections":{}}';
const request = {
  ...setNode('get', {}, 240),
  node: 'core:http-request',
  config: { url: 'https://erp.example', credential: 4711 },
};
const orders = makeBlob([setNode('one', { rate: 1 }), request], [['one', 'get']]);

/** Drops a file on the graph, as a mouse does. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const data = await page.evaluateHandle(
    ([fileName, content]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content ?? ''], fileName ?? '', { type: 'application/json' }));
      return transfer;
    },
    [name, text],
  );
  await findCanvas(page).dispatchEvent('drop', { dataTransfer: data, clientX: 700, clientY: 500 });
}

const ids = async (workflow: EditedWorkflow) => (await workflow.read()).draft?.blob.nodes.map(({ id }) => id);

describe.skipIf(browserIsMissing)(`a workflow goes out of the editor and in again${skippedSuffix}`, { timeout }, () => {
  test('as a file that is dropped: a whole one fills an empty graph, and asks before it replaces another', async () => {
    const workflow = await EditedWorkflow.create(running, 'Dropped', makeBlob([]));
    const page = await workflow.open(browser);
    await page.getByText('This workflow has no nodes yet.').waitFor();
    await drop(page, 'n8n.json', n8n);
    await page.getByText('This is an n8n workflow;').waitFor();
    await drop(page, 'orders.json', JSON.stringify(orders));
    await page.getByText('The graph is now that of orders.json, with 2 nodes.').waitFor();
    await expect.poll(() => ids(workflow), { timeout: 30_000 }).toEqual(['one', 'get']);
    await drop(page, 'other.json', JSON.stringify({ name: 'Other', blob: makeBlob([setNode('other', {})]) }));
    await page.getByRole('button', { name: 'Insert beside it' }).click();
    await expect.poll(() => ids(workflow), { timeout: 30_000 }).toEqual(['one', 'get', 'other']);
    await drop(
      page,
      'other.json',
      JSON.stringify(makeBlob([setNode('last', {}), { ...setNode('odd', {}), node: 'odd:node' }])),
    );
    await page.getByRole('button', { name: 'Replace the graph' }).click();
    await page.getByText('No node is called odd:node.').first().waitFor();
    await expect.poll(() => ids(workflow), { timeout: 30_000 }).toEqual(['last', 'odd']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => ids(workflow), { timeout: 30_000 }).toEqual(['one', 'get', 'other']);
  });

  test('as JSON, as a drawing and as a link, by keyboard, and never with a credential', async () => {
    const workflow = await EditedWorkflow.create(running, 'Taken out', orders);
    const page = await workflow.open(browser);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await findCanvas(page).locator('[data-path="get"]').click();
    await tabTo(page, page.getByRole('button', { name: 'Import, export' }));
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('button', { name: 'Copy as JSON' }));
    await page.keyboard.press('Enter');
    await page.getByText('It is in the clipboard, without credentials.').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain('https://erp.example');
    expect(copied).not.toMatch(/credential|4711/);

    await tabTo(page, page.getByRole('button', { name: 'Download the drawing as SVG' }));
    const [drawing] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    expect(drawing.suggestedFilename()).toBe('Taken-out.svg');
    const svg = await readFile(await drawing.path(), 'utf8');
    // Another page opens it as a document of its own.
    const viewer = await page.context().newPage();
    await writeFile(join(directory, 'drawing.svg'), svg);
    await viewer.goto(`file://${join(directory, 'drawing.svg')}`);
    expect(await viewer.evaluate(() => document.querySelector('title')?.textContent)).toBe(
      'Graph of the workflow Taken out',
    );
    expect(await viewer.evaluate(() => document.querySelector('parsererror'))).toBeNull();
    await viewer.close();

    await tabTo(page, page.getByRole('button', { name: 'Copy link to the node' }));
    await page.keyboard.press('Enter');
    await page.getByText('The link is in the clipboard.').waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toMatch(/\/editor\/[\w-]+\?node=get$/);

    // What was copied comes in again by a file, chosen by keyboard.
    const file = join(directory, 'copied.json');
    await writeFile(file, copied);
    await page.getByLabel('Open a JSON file').setInputFiles(file);
    await tabTo(page, page.getByRole('button', { name: 'Insert beside it' }));
    await page.keyboard.press('Enter');
    await savedState(page).waitFor();
    await expect.poll(() => ids(workflow), { timeout: 30_000 }).toEqual(['one', 'get', 'one-2', 'get-2']);
  });

  test('or begins with a template, whose placeholders are asked for', async () => {
    const workflow = await EditedWorkflow.create(running, 'From a template', makeBlob([]));
    const page = await workflow.open(browser);
    const offered = page.getByRole('region', { name: 'Start from a template' });
    await tabTo(page, offered.getByRole('button').first());
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary');
    await panel.getByRole('button', { name: 'Fill the graph' }).click();
    await panel.getByText('This is needed.').waitFor();
    await panel.getByRole('textbox').first().fill('https://erp.example');
    await page.keyboard.press('Enter');
    await page.getByText(/^The graph is that of /).waitFor();
    await savedState(page).waitFor();
    const filled = JSON.stringify((await workflow.read()).draft?.blob);
    expect(filled).toContain('https://erp.example');
    expect(filled).not.toContain('$placeholder');
    await page.getByRole('button', { name: 'Undo' }).click();
    await offered.waitFor();
  });
});
