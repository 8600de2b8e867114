import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { packageArchive } from '#test/automation/packages/package-archive.ts';
import { tabTo } from '#test/console/commerce/signed-in.ts';
import { Audit } from '#test/console/every-screen/audit.ts';
import { browserIsMissing, skippedSuffix } from '#test/setup/browser.ts';
import { account, test } from '#test/setup/console-test.ts';
import { chooseUser, type TestConsole } from '#test/setup/console.ts';
import { draftNodes, openDraft } from './drafts.ts';

const text = (key: string, label: string, more: object = {}) => ({ key, type: 'string', label, ...more });
const shape = (name: string, label: string, ...fields: object[]) => ({
  name,
  label,
  field: { key: name, type: 'object', fields: [text('kind', 'Kind'), ...fields] },
});

const order = {
  key: 'order',
  type: 'object',
  label: 'Order',
  fields: [
    text('number', 'Number', { required: true }),
    text('memo', 'Note', { nullable: true, help: 'What the buyer wrote.' }),
    {
      key: 'lines',
      type: 'list',
      label: 'Lines',
      required: true,
      items: {
        key: 'line',
        type: 'object',
        label: 'Line',
        fields: [
          text('sku', 'SKU', { required: true }),
          { key: 'quantity', type: 'number', label: 'Quantity', format: 'integer', required: true },
          { key: 'codes', type: 'list', label: 'Codes', items: text('code', 'Code') },
        ],
      },
    },
    {
      key: 'payment',
      type: 'variant',
      label: 'Payment',
      required: true,
      discriminator: 'kind',
      variants: [
        shape('card', 'Card', text('token', 'Token', { required: true })),
        shape('invoice', 'Invoice', { key: 'days', type: 'number', label: 'Days', required: true }),
      ],
    },
    // So many that a form with all of them would be unusable.
    ...Array.from({ length: 200 }, (_, index) => text(`custom-${index}`, `Custom ${index}`)),
  ],
};

/** The editor of a draft with one node, whose form is open. */
async function openForm(
  served: TestConsole,
  audit: Audit,
  name: string,
  config: Record<string, unknown>,
): Promise<() => Promise<unknown>> {
  const nodes = [{ name: 'send', version: '1.0.0', manifest: { config: [order] } }];
  const archive = packageArchive({ name, version: '1.0.0', namespace: name, nodes });
  await registerNodePackage(served.api.deps, { orgId: 'acme', archive });
  const { id, address } = await openDraft(served, name, [
    { id: 'send', node: `${name}:send`, version: '^1.0.0', config },
  ]);
  await audit.page.goto(`${served.url}t/acme-shop/${address}?node=send`);
  await chooseUser(audit.page);
  await account(audit.page).waitFor();
  return async () => (await draftNodes(served, id))[0]?.config['order'];
}

const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));

describe.skipIf(browserIsMissing)(`The form of a structure${skippedSuffix}`, { timeout: 300_000 }, () => {
  test('can be filled in by keyboard, is accessible, and unfolds if it has a problem', async ({ served, context }) => {
    const audit = await Audit.begin(context);
    const { page } = audit;
    const saved = await openForm(served, audit, 'by-keyboard', { order: { 'x-trace': { id: 7 } } });
    const press = (key: string) => page.keyboard.press(key);

    await tabTo(page, page.locator('[data-field="order.number"] input.input'));
    await page.keyboard.type('SO-1');

    await tabTo(page, button(page, 'Add: Line'));
    await press('Enter');
    // The focus is in the first field of the new line.
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest('[data-field]')?.getAttribute('data-field')))
      .toBe('order.lines.0.sku');
    await page.keyboard.type('A-1');
    await tabTo(page, page.locator('[data-field="order.lines.0.quantity"] input.input'));
    await page.keyboard.type('2');

    await tabTo(page, field(page, 'Kind of Payment'));
    await page.keyboard.type('Inv');
    await tabTo(page, page.locator('[data-field="order.payment.days"] input.input'));
    await page.keyboard.type('14');

    await tabTo(page, button(page, 'Add a field to Order'));
    await press('Enter');
    await page.getByText('201 fields').waitFor({ state: 'attached' });
    await page.keyboard.type('buyer');
    await page.getByRole('option', { name: /^Note/ }).waitFor();
    await audit.check('the menu of fields');
    await press('Enter');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id.endsWith('-memo'))).toBe(true);
    await page.keyboard.type('Ring twice');
    const line = { sku: 'A-1', quantity: 2 };
    const whole = {
      'x-trace': { id: 7 },
      number: 'SO-1',
      lines: [line],
      payment: { kind: 'invoice', days: 14 },
      memo: 'Ring twice',
    };
    await expect.poll(saved).toEqual(whole);

    await page.getByRole('switch', { name: 'Null for Note' }).focus();
    await press('Space');
    await expect.poll(saved).toEqual({ ...whole, memo: null });
    await button(page, 'Remove Note').focus();
    await press('Enter');
    await expect.poll(() => focused(page)).toBe('Add a field to Order');
    const { memo: _, ...rest } = whole;
    await expect.poll(saved).toEqual(rest);

    await button(page, 'Add: Line').focus();
    await press('Enter');
    await page.getByText('2 problems', { exact: true }).waitFor({ state: 'attached' });
    await button(page, 'Move row 2 up').focus();
    await press('Enter');
    await expect.poll(saved).toEqual({ ...rest, lines: [{}, line] });
    // The problem is shown at the field, and a jump to it unfolds the groups around it.
    const first = page.locator('[data-field="order.lines.0.sku"]');
    await first.getByText('is required').waitFor();
    await button(page, 'Lines').focus();
    await press('Enter');
    await first.waitFor({ state: 'detached' });
    await press('F8');
    await expect
      .poll(() => first.locator('input.input').evaluate((input) => input === document.activeElement))
      .toBe(true);

    // Only the form scrolls, not the page around it, even in a window that shows just the beginning of the form.
    await page.setViewportSize({ width: 1440, height: 600 });
    expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1440, height: 900 });
    await audit.check('light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await audit.check('dark');
    await audit.checkNarrow('the form');
    expect(audit.findings).toEqual([]);
  });

  test('keeps members that it does not know, and shows the same value as its JSON', async ({ served, context }) => {
    const audit = await Audit.begin(context);
    const { page } = audit;
    const before = {
      number: 7,
      lines: [{ sku: '', quantity: '{{ 1 + 1 }}', codes: ['1', 'true'], 'x-line': null }, '{{ trigger.payload.line }}'],
      payment: { kind: 'coupon', code: 'X' },
      'x-trace': [1],
    };
    const saved = await openForm(served, audit, 'as-json', { order: before });
    await button(page, 'As JSON').click();
    await button(page, 'As fields').click();
    await page.getByLabel('Other members of Payment').waitFor();
    await page.getByLabel('Other members of Line 1').fill('{"x-line": 1, "sku": "B-2"}');
    await page.getByText('sku has a field of its own.').waitFor();
    await page.getByLabel('Other members of Line 1').fill('{"x-line": 1}');
    const [line, expression] = before.lines as [object, string];
    await expect.poll(saved).toEqual({ ...before, lines: [{ ...line, 'x-line': 1 }, expression] });
    await button(page, 'Codes').click();
    await page.getByLabel('Value, row 2').fill('2');
    await expect.poll(saved).toEqual({ ...before, lines: [{ ...line, 'x-line': 1, codes: ['1', '2'] }, expression] });
    expect(audit.findings).toEqual([]);
  });
});
