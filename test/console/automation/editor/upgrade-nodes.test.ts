import type { Browser } from 'playwright-core';
import { describe, expect } from 'vitest';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { packageArchive, type TestNode } from '#test/automation/packages/package-archive.ts';
import { openPage, tabTo } from '#test/console/commerce/signed-in.ts';
import { test } from '#test/setup/app-test.ts';
import { browserIsMissing, launchBrowser, skippedSuffix } from '#test/setup/browser.ts';
import { startTestConsole, type TestConsole } from '#test/setup/console.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';
import { draftNodes, openDraft } from './drafts.ts';

let running: TestConsole;
let browser: Browser;

const migrates = `export const execute = () => ({});
  export const migrate = ({ old, ...rest }, from) => ({ ...rest, ...(from[0] === '1' && { text: old }) });`;
const field = (key: string) => ({ config: [{ key, type: 'string', label: key, required: true }] });

async function register(version: string, ...nodes: TestNode[]): Promise<void> {
  const archive = packageArchive({ name: 'grade', version, namespace: 'grade', nodes });
  await registerNodePackage(running.api.deps, { orgId: 'acme', archive });
}

test.beforeAll(async ({ database }) => {
  if (browserIsMissing) return;
  [running, browser] = await Promise.all([startTestConsole(database.url), launchBrowser()]);
  const at = (version: string, key: string, code?: string): TestNode[] =>
    ['send', 'plain'].map((name) => ({
      name,
      version,
      manifest: field(key),
      ...(code !== undefined && name === 'send' && { code }),
    }));
  await register('1.0.0', ...at('1.0.0', 'old'));
  await register('2.0.0', ...at('2.0.0', 'text', migrates));
}, 240_000);

test.afterAll(async () => {
  await browser?.close();
  await running?.close();
});

/** The state of the first outdated node. The first migration of a process may take longer than the server waits for one. */
async function upgradeState(id: string): Promise<string | undefined> {
  const { data } = await running.api.graphql<{ nodeUpgrades: { edges: { node: { state: string } }[] } }>(
    'query ($id: ID!) { nodeUpgrades(workflowId: $id, first: 1) { edges { node { state } } } }',
    { id },
    { tenant: 'acme-shop', roles: ['admin'] },
  );
  return data?.nodeUpgrades.edges[0]?.node.state;
}

const send = (id: string) => ({
  id,
  node: 'grade:send',
  version: '^1.0.0',
  config: { old: '{{ trigger.payload.x }}' },
});
const upgraded = { version: '^2.0.0', config: { text: '{{ trigger.payload.x }}' } };

describe.skipIf(browserIsMissing)(`A node with a newer version${skippedSuffix}`, () => {
  test(
    'says so in its form, shows what changes, and is upgraded in the draft as one step',
    startsProcesses,
    async () => {
      const { id, address } = await openDraft(running, 'One outdated node', [send('a')]);
      await expect.poll(() => upgradeState(id), { timeout: 60_000 }).toBe('READY');
      const page = await openPage(browser, running, address);
      await page.getByRole('region', { name: 'Problems' }).getByRole('button', { name: 'a', exact: true }).click();
      const form = page.getByRole('complementary');
      await form.getByText('It runs version 1.0.0. Version 2.0.0 is there.').waitFor();
      // The form asks for what the older version takes.
      await form.getByLabel(/^old/).waitFor();
      await form.getByRole('button', { name: 'Show what changes' }).click();
      await form.getByText('New fields: text.').waitFor();
      await form.getByText('Its settings are valid in the new version.').waitFor();
      await form.getByRole('button', { name: 'Upgrade to 2.0.0' }).click();
      await form.getByLabel(/^text/).waitFor();
      await expect.poll(async () => (await draftNodes(running, id))[0]).toMatchObject(upgraded);
      await page.getByText('It runs version 1.0.0. Version 2.0.0 is there.').first().waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Undo' }).click();
      await expect.poll(async () => (await draftNodes(running, id))[0]).toMatchObject(send('a'));
      await page.getByRole('button', { name: 'Redo' }).click();
      await expect.poll(async () => (await draftNodes(running, id))[0]).toMatchObject(upgraded);
      await page.context().close();
    },
  );

  test(
    'is upgraded with all others from the list by keyboard, which names those that stay',
    startsProcesses,
    async () => {
      const plain = { id: 'p', node: 'grade:plain', version: '^1.0.0', config: { old: 'x' } };
      const { id, address } = await openDraft(running, 'Outdated nodes', [send('a'), send('b'), plain]);
      const page = await openPage(browser, running, address);
      await tabTo(page, page.getByRole('button', { name: '3 nodes: upgrade all of them' }));
      await page.keyboard.press('Enter');
      await page.getByText('2 nodes were upgraded in the draft. Undo takes it back.').waitFor();
      await page.getByText('These nodes stayed as they were').waitFor();
      await expect.poll(() => draftNodes(running, id)).toMatchObject([upgraded, upgraded, plain]);
      await page.getByRole('button', { name: 'Undo' }).click();
      await expect.poll(() => draftNodes(running, id)).toMatchObject([send('a'), send('b'), plain]);
      await page.context().close();
    },
  );

  test('can be removed where nobody knows it, or taken to a version that is there', startsProcesses, async () => {
    const { id, address } = await openDraft(running, 'Unknown nodes', [
      { id: 'gone', node: 'grade:gone', version: '1.0.0', config: {} },
      { id: 'early', node: 'grade:send', version: '0.1.0', config: { old: 'x' } },
    ]);
    const page = await openPage(browser, running, address);
    const list = page.getByRole('region', { name: 'Problems' });
    await list.getByRole('button', { name: 'gone', exact: true }).first().click();
    const form = page.getByRole('complementary');
    await form.getByRole('button', { name: 'Remove the node' }).click();
    await expect.poll(async () => (await draftNodes(running, id)).map((node) => node.id)).toEqual(['early']);
    await list.getByRole('button', { name: 'early', exact: true }).first().click();
    await form.getByText(/^No version 0\.1\.0 of this node is registered any more/).waitFor();
    await form.getByRole('button', { name: 'Upgrade to 2.0.0' }).click();
    await expect.poll(async () => (await draftNodes(running, id))[0]?.version).toBe('2.0.0');
    await page.context().close();
  });
});
