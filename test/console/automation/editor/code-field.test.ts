import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { toProperty } from '#console/automation/editor/form/code/code-completions.ts';
import { productDir } from '#src/console/build-inputs.ts';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { test } from '#test/setup/console-test.ts';
import { EditedWorkflow, makeBlob, setNode } from './editor-page.ts';

const panel = (page: Page) => page.getByRole('complementary');
const codeNode = (code: string) => ({
  id: 'code',
  node: 'core:code',
  version: '1.0.0',
  config: { code },
  position: { x: 240, y: 0 },
});

const [, documentedCode = ''] =
  /### Code\n[\s\S]*?```ts\n([\s\S]*?)```/.exec(readFileSync(join(productDir, 'docs/workflows.md'), 'utf8')) ?? [];

const right = (box: { x: number; width: number } | null): number => (box ? box.x + box.width : Number.NaN);

describe.skipIf(browserIsMissing)(`The code of a node${skippedSuffix}`, { timeout: 180_000 }, () => {
  test('is coloured, completed from what is in scope, and kept as it is typed', async ({ browser, served }) => {
    const blob = makeBlob(
      [setNode('get-it', { sku: 'A' }), codeNode('const text = "{{ no expression }}";\n')],
      [['get-it', 'code']],
    );
    const workflow = await EditedWorkflow.create(served, 'Code', blob);
    const page = await workflow.open(browser, '?node=code');
    const code = panel(page).locator('.code-editor .cm-content');
    await code.waitFor();
    expect(await code.locator('.tok-keyword').first().innerText()).toBe('const');
    await panel(page).getByLabel('Expression for Values').waitFor();
    expect(await panel(page).getByLabel('Expression for Code').count()).toBe(0);
    await code.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('return { a: nodes');
    await page.locator('.cm-tooltip-autocomplete').getByText('nodes["get-it"].outputs', { exact: true }).click();
    await page.keyboard.type(' };');
    await expect
      .poll(async () => (await workflow.read()).draft?.blob.nodes[1]?.config)
      .toEqual({ code: 'const text = "{{ no expression }}";\nreturn { a: nodes["get-it"].outputs };' });
  });

  test('stays within the form, however long its lines are', async ({ browser, served }) => {
    const long = `return { text: '${'long '.repeat(100)}' };`;
    const workflow = await EditedWorkflow.create(served, 'Long lines', makeBlob([codeNode(long)]));
    const page = await workflow.open(browser, '?node=code');
    const editor = panel(page).locator('.code-editor');
    await editor.locator('.cm-content').waitFor();
    for (const width of [1_440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const [inner, outer] = await Promise.all([editor.boundingBox(), panel(page).boundingBox()]);
      expect(inner?.x, `at ${width} pixels`).toBeGreaterThan(outer?.x ?? 0);
      expect(right(inner), `at ${width} pixels`).toBeLessThan(right(outer));
    }
  });

  test('shows a fault at its line', async ({ browser, served }) => {
    const workflow = await EditedWorkflow.create(served, 'Fault', makeBlob([codeNode('const a = 1;\nlet b = ;')]));
    const page = await workflow.open(browser, '?node=code');
    const lines = panel(page).locator('.code-editor .cm-line');
    await lines.nth(0).click();
    await page.keyboard.press('End');
    await page.keyboard.type(' ');
    await panel(page).getByText('line 2, column 9').waitFor();
    await lines.nth(1).locator('.expression-fault').waitFor();
    expect(await lines.nth(0).locator('.expression-fault').count()).toBe(0);
  });

  test('completes the members of values in the sample, and shows faults in types at their lines', async ({
    browser,
    served,
  }) => {
    const code = `const word = "a b".trimm();\n${documentedCode}`;
    const workflow = await EditedWorkflow.create(served, 'Types', makeBlob([codeNode(code)]));
    const page = await workflow.open(browser, '?node=code');
    await page.setViewportSize({ width: 1_440, height: 900 });
    const faults = panel(page).locator('.code-type-faults');
    await faults.getByText("Did you mean 'trim'?").waitFor();
    await page.getByText('Paste a sample payload').click();
    await page
      .getByRole('textbox', { name: 'Sample payload, as JSON' })
      .fill('{"lines": [{"sku": "A", "qty": 2}, {"sku": "B", "qty": 0, "note": "x"}], "total": 250}');
    const editor = panel(page).locator('.code-editor .cm-content');
    await editor.click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('\ntrigger.payload.lines[1].');
    const offered = page.locator('.cm-tooltip-autocomplete');
    await offered.getByText('note', { exact: true }).click();
    expect(await editor.locator('.cm-line').nth(1).innerText()).toContain('trigger.payload.lines[1].note');
    await page.keyboard.type('; trigger.payload.totl;\n');
    await faults.getByText('Did you mean "total"?').waitFor();
    expect(await faults.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^Line 2: The sample data has no "totl"/),
      expect.stringMatching(/^Line 3: Property 'trimm'/),
    ]);
    expect(await editor.locator('.code-type-fault').allInnerTexts()).toEqual(['totl', 'trimm']);
    const described = (await editor.getAttribute('aria-describedby'))?.split(' ');
    expect(described).toContain(await faults.getAttribute('id'));
    await faults.getByRole('button', { name: 'Line 3' }).click();
    await page.keyboard.press('Delete');
    await faults.getByText("'rimm'").waitFor();
  });
});

test.each([
  ['trigger.payload.lines[0].sku', 'trigger.payload.lines[0].sku'],
  ['nodes.get-it.outputs', 'nodes["get-it"].outputs'],
  ['nodes.`get it`.outputs.`a b`', 'nodes["get it"].outputs["a b"]'],
  ['item', 'item'],
])('the path %s of an expression is %s in code', (path, property) => {
  expect(toProperty(path)).toBe(property);
});
