import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { test } from '#test/setup/console-test.ts';
import { EditedWorkflow, makeBlob, setNode } from './editor-page.ts';

const panel = (page: Page) => page.getByRole('complementary');

describe.skipIf(browserIsMissing)(`The forms of the editor${skippedSuffix}`, { timeout: 180_000 }, () => {
  test('ask for a schedule with its zones and next times, and begin a test run with what it brings', async ({
    browser,
    served,
  }) => {
    const workflow = await EditedWorkflow.create(served, 'Every morning', makeBlob([setNode('one', {})]));
    const page = await workflow.open(browser, '?do=trigger');
    await panel(page).getByLabel('Type').selectOption('Schedule');
    await panel(page).getByLabel('Name').fill('Morning');
    const cron = panel(page).getByLabel('Schedule as cron');
    await cron.fill('0 6');
    const times = panel(page).getByRole('region', { name: 'Next times' });
    await times.getByText('This is no schedule yet').waitFor();
    await cron.fill('0 6 * * *');
    await panel(page).getByLabel('Time zone').selectOption('Asia/Tokyo');
    await expect
      .poll(() => times.getByRole('listitem').allInnerTexts())
      .toEqual(Array(3).fill(expect.stringMatching(/06:00/)));
    await expect.poll(() => times.getByRole('time').first().getAttribute('datetime')).toMatch(/T21:00/);
    await panel(page).getByRole('button', { name: 'Add a trigger' }).click();
    await panel(page).getByRole('heading', { name: 'Morning' }).waitFor();

    await page.getByRole('button', { name: 'Try it' }).click();
    const payload = JSON.parse(await panel(page).getByLabel('Payload of the trigger').inputValue()) as object;
    expect(payload).toEqual({
      scheduled_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000Z$/),
      fired_at: expect.any(String),
      timezone: 'Asia/Tokyo',
      cron: '0 6 * * *',
    });
  });

  test('keep cells as low as their text, and the list of completions off the line that is typed', async ({
    browser,
    served,
  }) => {
    const workflow = await EditedWorkflow.create(
      served,
      'Cells',
      makeBlob([setNode('one', { first: 'short' }), setNode('two', { by: '{{ run.id }}' }, 240)]),
    );
    const page = await workflow.open(browser, '?node=one');
    await panel(page).getByRole('button', { name: 'As a table' }).click();
    const cells = panel(page).locator('table textarea');
    await cells.first().waitFor();
    const heights = await cells.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
    expect(Math.max(...heights)).toBeLessThanOrEqual(32);

    const written = await workflow.open(browser, '?node=two');
    const text = panel(written).locator('.cm-content').first();
    await text.click();
    await written.keyboard.press('Control+End');
    await written.keyboard.type(`${'word '.repeat(6)}{{ trigger.h`);
    await written.locator('.cm-tooltip-autocomplete').waitFor();
    await expect
      .poll(() =>
        written.evaluate(() => {
          const list = document.querySelector('.cm-tooltip-autocomplete')?.getBoundingClientRect();
          const lines = document.querySelector('.cm-content')?.getBoundingClientRect();
          return list && lines && list.top >= lines.bottom - 4;
        }),
      )
      .toBe(true);
  });
});
