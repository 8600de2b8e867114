import { describe, expect } from 'vitest';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { patient, test } from '#test/setup/console-test.ts';
import { EditedWorkflow, findCanvas, makeBlob, savedState, setNode } from './editor-page.ts';

describe.skipIf(browserIsMissing)(`The editor${skippedSuffix}`, () => {
  test(
    'keeps an edit when it is left by Back, and says when another discards its draft or deletes its workflow',
    { timeout: 300_000 },
    async ({ served, browser }) => {
      const published = makeBlob([setNode('one', { rate: 1 }), setNode('two', {}, 240)], [['one', 'two']]);
      const workflow = await EditedWorkflow.create(served, 'Left and found', published);
      const page = await workflow.open(browser);
      const canvas = findCanvas(page);
      const values = page.getByLabel(/^Values/);
      const rates = async () => (await workflow.read()).draft?.blob.nodes.map(({ config }) => config['values']);

      await page.locator('.page-title').getByRole('link').click();
      await page.getByRole('link', { name: 'Open the editor' }).click();
      await canvas.locator('[data-path="one"]').dblclick();
      await values.fill('{"rate": 2}');
      // Before the save, which begins 400 ms after the edit; the first step back closes the form.
      await page.goBack();
      await page.goBack();
      await page.getByRole('link', { name: 'Open the editor' }).waitFor();
      await page.goForward();
      await page.goForward();
      await expect.poll(() => values.inputValue(), patient).toContain('2');
      await savedState(page).waitFor();
      expect(await rates()).toEqual([{ rate: 2 }, {}]);

      await workflow.discardDraft();
      await page.getByText('has discarded the draft').waitFor();
      await expect.poll(() => values.inputValue(), patient).toContain('1');
      await values.fill('{"rate": 3}');
      await expect.poll(rates, patient).toEqual([{ rate: 3 }, {}]);

      await workflow.delete();
      await page.getByRole('status').filter({ hasText: 'This workflow has been deleted.' }).waitFor();
      expect(await canvas.locator('[data-path="two"]').count()).toBe(1);
      expect(await page.getByRole('button', { name: 'Add a node' }).isDisabled()).toBe(true);
      await page.context().close();
    },
  );
});
