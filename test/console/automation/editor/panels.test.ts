import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { Audit } from '#test/console/every-screen/audit.ts';
import { settle } from '#test/console/every-screen/walk.ts';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { account, patient, test } from '#test/setup/console-test.ts';
import { chooseUser, type TestConsole } from '#test/setup/console.ts';
import { EditedWorkflow, findCanvas, makeBlob, savedState, setNode } from './editor-page.ts';

/** What the panel of the editor shows, by the address, with a text that tells that it is there. */
const panels = [
  ['node=one', 'Last step'],
  ['do=add', 'HTTP request'],
  ['do=trigger', 'What starts a run.'],
  ['do=find', 'Enter goes to the next'],
  ['do=keys', 'Ctrl'],
  ['do=extract', 'One node becomes'],
  ['do=connect', 'Connect one to'],
  ['do=in-out', 'Download JSON'],
  ['do=try', 'What to run'],
  ['do=publish', 'Or give it up'],
  ['do=revisions', 'Revision 1'],
  ['do=template&template=commerce:orders-out', 'Fill the graph'],
] as const;

const panel = (page: Page) => page.getByRole('complementary');
const values = (page: Page) => panel(page).getByRole('textbox', { name: /^Values/ });

/** Opens another panel of the editor without loading the page again. */
async function show(page: Page, search: string): Promise<void> {
  await page.evaluate((to) => history.pushState(null, '', `${location.pathname}?${to}`), search);
  await settle(page);
}

/** Saves the draft as somebody else would, with other values of a node. */
async function saveElsewhere({ api }: TestConsole, workflow: EditedWorkflow): Promise<void> {
  const { draft } = await workflow.read();
  const blob = makeBlob([setNode('one', { by: 'another' }), setNode('two', {}, 240)]);
  const input = { workflowId: workflow.id, version: draft?.version, baseRevision: 1, blob };
  const document =
    'mutation ($input: SaveWorkflowDraftInput!) { saveWorkflowDraft(input: $input) { __typename ... on Error { message } } }';
  const { data } = await api.graphql(document, { input }, { tenant: 'acme-shop', roles: ['admin'] });
  expect(data).toMatchObject({ saveWorkflowDraft: { __typename: 'SaveWorkflowDraftPayload' } });
}

describe.skipIf(browserIsMissing)(`The panels of the editor${skippedSuffix}`, { timeout: 300_000 }, () => {
  test('are accessible in both themes, and lead from a trigger to its first run', async ({ served, context }) => {
    const workflow = await EditedWorkflow.create(served, 'Panels', makeBlob([setNode('one', {})]));
    const audit = await Audit.begin(context);
    const { page } = audit;
    await page.goto(`${served.url}t/acme-shop/editor/${workflow.id.replaceAll('=', '')}`);
    await chooseUser(page);
    await account(page).waitFor();

    await page.getByRole('button', { name: 'Add a trigger' }).click();
    await panel(page).getByLabel('Name').fill('Shop');
    await panel(page).getByLabel('Response').selectOption('The result of the run, once it has ended');
    await panel(page).getByRole('button', { name: 'Add a trigger' }).click();
    // The panel of the new trigger opens, with its address and with what nodes can read.
    await panel(page).getByRole('heading', { name: 'Shop' }).waitFor();
    await panel(page).getByText('on_finish').waitFor();
    const example = panel(page).getByRole('group', { name: 'Example for a shell' });
    expect(await example.innerText()).toContain('Authorization: Bearer $TOKEN');
    expect(await panel(page).getByRole('link', { name: 'Webhooks' }).getAttribute('href')).toMatch(
      /docs\/webhooks#call-it$/,
    );
    const url = await panel(page).getByRole('button', { name: '/api/v1/webhooks/' }).innerText();
    await audit.check('trigger');
    await panel(page).getByRole('button', { name: 'Close' }).click();
    await findCanvas(page).locator('.is-trigger').dblclick();
    await panel(page).getByRole('button', { name: url }).waitFor();

    await findCanvas(page).locator('[data-path="one"]').click();
    await page.getByRole('button', { name: 'Add a node' }).click();
    await panel(page).getByRole('region', { name: 'Data' }).getByRole('button', { name: 'Set values' }).click();
    await panel(page).waitFor({ state: 'detached' });
    await page.getByRole('toolbar').getByRole('button', { name: 'Set up' }).click();
    await panel(page).getByRole('heading', { name: 'set' }).waitFor();
    await panel(page).getByLabel('Id').fill('two');
    await panel(page).getByLabel('Id').press('Tab');
    await panel(page).getByRole('heading', { name: 'two' }).waitFor();
    await savedState(page).waitFor();

    await findCanvas(page).locator('[data-path="one"]').click();
    for (const [search, text] of panels) {
      await show(page, search);
      await panel(page).getByText(text).first().waitFor();
      await audit.check(search);
    }

    await context.setOffline(true);
    await show(page, 'node=one');
    await values(page).fill('{"by": "me"}');
    await page.getByText('The server cannot be reached.').waitFor();
    await saveElsewhere(served, workflow);
    await context.setOffline(false);
    await page.getByRole('heading', { name: 'Two edits disagree' }).waitFor();
    await audit.check('conflict');
    const publish = page.getByRole('toolbar').getByRole('button', { name: 'Publish' });
    expect(await publish.isDisabled()).toBe(true);
    expect(await publish.getAttribute('title')).toContain('Choose what holds first');
    await page.getByRole('button', { name: 'Keep all of yours' }).click();
    await savedState(page).waitFor();

    await show(page, 'do=publish');
    await panel(page).getByRole('button', { name: 'Publish' }).click();
    await panel(page).getByRole('heading', { name: 'Published' }).waitFor();
    await panel(page).getByText('Revision 2 runs from now on').waitFor();
    await panel(page).getByRole('button', { name: url }).waitFor();
    await audit.check('published');
    await panel(page).getByRole('link', { name: 'Start a run' }).click();
    await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor();
    await panel(page).getByRole('button', { name: 'Start a run' }).waitFor();
    const call = page.getByRole('region', { name: 'Call it' });
    expect(await call.getByRole('group', { name: 'Example for a shell' }).innerText()).toContain(url);
    await call.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { level: 2, name: 'Call it' }).waitFor();
    // The browser reports the requests that found no network.
    expect(audit.findings.filter((found) => !found.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
  });

  test('are in German for those who read it', async ({ served, browser, onTestFinished }) => {
    const workflow = await EditedWorkflow.create(served, 'Felder', makeBlob([setNode('one', {})]));
    const context = await browser.newContext({ locale: 'de-DE' });
    context.setDefaultTimeout(patient.timeout);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(`${served.url}t/acme-shop/editor/${workflow.id.replaceAll('=', '')}?do=add`);
    await chooseUser(page);
    await panel(page).getByRole('heading', { name: 'Knoten hinzufügen' }).waitFor();
    await panel(page).getByRole('region', { name: 'Ablauf' }).waitFor();
  });
});
