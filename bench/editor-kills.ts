/**
 * A person edits a workflow in a browser while, in turn, the tab, the network and the product end at any moment. After each, the editor is
 * opened again: once it says "Saved", the draft on the server must have every edit that the page had shown. A page must also never take an
 * edit back by itself. Needs Linux and root.
 * `node bench/editor-kills.ts [kills=200]`
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '#test/setup/browser.ts';
import { differing, EditedPage, type Seen, seenInBlob } from './lib/edited-page.ts';
import { note, printFigure } from './lib/figure.ts';
import { startScript } from './lib/start-script.ts';
import { inNamespace, startWholeProduct, type WholeProduct } from './lib/whole-product.ts';

const [kills = 200] = process.argv.slice(2).map(Number);
const kinds = ['tab', 'network', 'server'] as const;
const tallies = { tab: noneYet(), network: noneYet(), server: noneYet() };

/** Waits a random time. */
const moment = (maxMs: number) => delay(Math.random() * maxMs);

function noneYet() {
  return { kills: 0, whileUnsaved: 0, edits: 0, lost: 0, notSaved: 0 };
}

const dataDir = await mkdtemp(join(tmpdir(), 'causeway-bench-editor-kills-'));
let product = await startWholeProduct(dataDir, inNamespace(startScript));
const { port } = product;
const restart = async (): Promise<void> => {
  product = await startWholeProduct(dataDir, inNamespace(startScript), { PORT: String(port) });
};
const browser = await launchBrowser();
try {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
  context.setDefaultTimeout(20_000);
  const id = await createWorkflow(product);
  let page = await signIn(context, id);
  for (let n = 0; n < kills; n += 1) {
    const kind = kinds[n % kinds.length] ?? 'tab';
    const edited = new EditedPage(page, await readDraft(product, id));
    await editAndKill(edited, kind, context);
    page = await context.newPage();
    const isSaved = await openEditor(page, id);
    const tally = tallies[kind];
    const stored = await readDraft(product, id);
    const lost = differing(edited.seen, stored).filter((key) => !edited.mayChange(key));
    const told = lost.map((key) => `${key} was shown as ${edited.seen.get(key)} and is stored as ${stored.get(key)}`);
    const unasked = edited.unasked.map((key) => `${key} changed without an edit`);
    tally.kills += 1;
    tally.edits += edited.edits;
    tally.lost += lost.length + unasked.length;
    if (edited.wasUnsaved) tally.whileUnsaved += 1;
    if (!isSaved) tally.notSaved += 1;
    if (!isSaved || lost.length + unasked.length > 0)
      note(
        `Kill ${n + 1}, ${kind}: ${JSON.stringify([...told, ...unasked, await page.locator('.editor-saving').innerText()])}`,
      );
    if ((n + 1) % 20 === 0) note(`${n + 1} kills: ${JSON.stringify(tallies)}`);
  }
  const sum = (what: 'edits' | 'lost' | 'notSaved') => kinds.reduce((total, kind) => total + tallies[kind][what], 0);
  printFigure({
    figure: 'editor-edits-after-kills',
    value: sum('lost') + sum('notSaved'),
    unit: 'edits lost, and editors that did not save what was left',
    reach: { of: 'value', atMost: 0 },
    detail: { kills, edits: sum('edits'), ...tallies },
  });
} finally {
  await browser.close();
  await product.kill();
  await rm(dataDir, { recursive: true, force: true });
}

/** Edits until the network or the product ends at a random moment; in half of the cases, the edits go on until the tab ends as well. */
async function editAndKill(edited: EditedPage, kind: (typeof kinds)[number], context: BrowserContext): Promise<void> {
  const over = new AbortController();
  const edit = async (): Promise<void> => {
    while (!over.signal.aborted) await edited.edit();
  };
  // It ends with an error if the tab does.
  const editing = edit().catch(() => undefined);
  const endTab = async (): Promise<void> => {
    over.abort();
    await endPage(edited.page);
    await Promise.race([editing, delay(20_000)]);
  };
  const isTabFirst = Math.random() < 0.5;
  await moment(3_000);
  if (kind === 'network') {
    await context.setOffline(true);
    await moment(2_000);
    if (isTabFirst) await endTab();
    await context.setOffline(false);
  } else if (kind === 'server') {
    await product.kill();
    await moment(1_000);
    if (isTabFirst) await endTab();
    await restart();
  }
  if (kind !== 'tab') await moment(1_500);
  await endTab();
}

/** Closes a page, or lets its process crash. */
async function endPage(page: Page): Promise<void> {
  if (page.isClosed()) return;
  if (Math.random() < 0.5) {
    const cdp = await page.context().newCDPSession(page);
    const crashed = page.waitForEvent('crash', { timeout: 5_000 });
    cdp.send('Page.crash').catch(() => undefined);
    await crashed;
  }
  await page.close();
}

/** Opens the editor with a form. Tells whether it said "Saved" within a minute. */
async function openEditor(page: Page, id: string): Promise<boolean> {
  await page.goto(`http://localhost:${port}/console/t/demo/editor/${id.replaceAll('=', '')}?node=message`);
  await page.locator('.react-flow__node').first().waitFor();
  await page.getByRole('group', { name: 'Graph of the workflow' }).focus();
  await page.keyboard.press('0');
  const saved = page.getByRole('status').filter({ hasText: /^Saved$/ });
  return saved.waitFor({ timeout: 60_000 }).then(
    () => true,
    () => false,
  );
}

async function signIn(context: BrowserContext, id: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`http://localhost:${port}/console/`);
  await page.getByRole('radio', { name: 'Administrator' }).check();
  await page.getByLabel('Organisation and tenants').selectOption('demo-org');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Account: Administrator' }).waitFor();
  await openEditor(page, id);
  return page;
}

async function ask<Data>(from: WholeProduct, query: string, variables: object): Promise<Data> {
  const headers = await from.headersFor('demo');
  const body = JSON.stringify({ query, variables });
  const response = await fetch(`http://127.0.0.1:${port}/graphql`, { method: 'POST', headers, body });
  const { data, errors } = (await response.json()) as { data?: Data; errors?: unknown };
  if (!data) throw new Error(JSON.stringify(errors));
  return data;
}

async function createWorkflow(from: WholeProduct): Promise<string> {
  const step = (id: string, node: string, config: object, at: number) => ({
    id,
    node,
    version: '1.0.0',
    config,
    position: { x: (at % 3) * 256, y: Math.floor(at / 3) * 128 },
  });
  const steps = Array.from({ length: 8 }, (_, at) => step(`step-${at}`, 'core:set', { values: {} }, at));
  const blob = {
    version: 'v1',
    nodes: [...steps, step('message', 'core:fail', { message: 'Stop' }, 8)],
    edges: steps.slice(1).map(({ id }, at) => ({ from: { node: `step-${at}` }, to: id })),
    canvas: { notes: [{ id: 'n', text: 'Note', x: 0, y: 400, width: 240, height: 96 }] },
  };
  const { createWorkflow: made } = await ask<{ createWorkflow: { workflow: { id: string } } }>(
    from,
    'mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { ... on CreateWorkflowPayload { workflow { id } } } }',
    { input: { name: 'Edited', blob } },
  );
  return made.workflow.id;
}

/** What the server has: the draft, or what is published where there is none. */
async function readDraft(from: WholeProduct, id: string): Promise<Seen> {
  type Blob = Parameters<typeof seenInBlob>[0];
  const { workflow } = await ask<{ workflow: { blob: Blob; draft: { blob: Blob } | null } }>(
    from,
    'query ($id: ID!) { workflow(id: $id) { blob draft { blob } } }',
    { id },
  );
  return seenInBlob(workflow.draft?.blob ?? workflow.blob);
}
