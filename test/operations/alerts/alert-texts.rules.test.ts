import { expect, test } from 'vitest';
import { summarize, writeEvent, writeMail } from '#src/operations/alerts/alert-texts.rules.ts';
import { type AlertItem, emptyContent, maxItems, mergeContent } from '#src/operations/alerts/alerts.rules.ts';

const item = (changes: Partial<AlertItem> = {}): AlertItem => ({
  key: 'failed_runs/7',
  kind: 'failed_runs',
  subjectId: 7,
  title: 'Orders',
  errorGroupId: null,
  count: 1,
  message: null,
  firstAt: '2026-11-29T08:00:00.000Z',
  lastAt: '2026-11-29T08:00:00.000Z',
  ...changes,
});

const text = (items: readonly AlertItem[], tenantName = 'Acme shop') => ({
  tenant: { id: 'acme shop', name: tenantName },
  content: mergeContent(emptyContent, items),
  isTest: false,
  publicUrl: 'https://hub.example/base/',
});

test.each<[string, AlertItem[]]>([
  ['1 failed run of Orders', [item()]],
  ['12 failed runs of Orders', [item({ count: 12 })]],
  ['2 dead letters of Orders', [item({ kind: 'dead_letters', count: 2 })]],
  ['Webhook destination ERP is disabled', [item({ kind: 'disabled_destinations', title: 'ERP', message: 'gone' })]],
  [
    'Credential ERP expires on 2026-12-24',
    [item({ kind: 'expiring_credentials', title: 'ERP', message: 'expiring 2026-12-24' })],
  ],
  ['Credential ERP has expired', [item({ kind: 'expiring_credentials', title: 'ERP', message: 'expired 2026-11-24' })]],
  [
    'Credential ERP was revoked by its provider',
    [item({ kind: 'expiring_credentials', title: 'ERP', message: 'revoked' })],
  ],
  ['Poll ERP orders fails', [item({ kind: 'failing_polls', title: 'ERP orders', message: null })]],
  ['1 failed run of 7', [item({ title: '' })]],
  ['1 dead letter, 3 failed runs', [item({ count: 3 }), item({ key: 'dead_letters/1', kind: 'dead_letters' })]],
  [
    `${maxItems} failed runs, 10 more`,
    Array.from({ length: maxItems + 10 }, (_, n) => item({ key: `failed_runs/${String(n).padStart(2, '0')}` })),
  ],
])('the summary says what happened: %s', (summary, items) => {
  expect(summarize(text(items))).toBe(summary);
});

test.each([
  'Shop\r\nBcc: thief@evil.example',
  'Shop\u0000\u001B[31m',
  'Shop\u2028Bcc: thief@evil.example',
  'Shop \u202Edelbasid ton\u2066',
  `Shop ${'x'.repeat(5_000)}`,
  'Shop <img src=x onerror=alert(1)>',
  'Shop " onmouseover="alert(1)',
])('names and messages add no header, line or markup, and turn no text around: %j', (hostile) => {
  const { subject, text: plain, html } = writeMail(text([item({ title: hostile, message: hostile })], hostile));
  expect(subject).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
  for (const part of [subject, plain, html]) expect(part).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
  expect(subject.length).toBeLessThan(250);
  expect(html).not.toMatch(/<img|" onmouseover/);
  for (const line of [...plain.split(/[\n\u2028]/), ...html.split('\n')]) expect(line).not.toMatch(/^Bcc:/);
  expect(html.length + plain.length).toBeLessThan(8_000);
});

test('links lead to the console at its public address, whatever the tenant is called', () => {
  const groups = [
    item({ errorGroupId: '0b4e2f0e-52c5-51d4-2a51-3f5f2c7f4a10' }),
    item({ key: 'b', kind: 'disabled_destinations', message: 'manual' }),
    item({ key: 'c', kind: 'expiring_credentials', message: 'revoked' }),
    item({ key: 'd' }),
    item({ key: 'e', kind: 'failing_polls', message: null }),
  ];
  const event = writeEvent(text(groups), { eventId: 'e', at: new Date(0) }) as { data: { alerts: { url: string }[] } };
  const base = 'https://hub.example/base/console/t/acme%20shop/';
  const pages = event.data.alerts.map(({ url }) => {
    expect(url.startsWith(base)).toBe(true);
    const [noun, id = ''] = url.slice(base.length).split('/');
    return [noun, Buffer.from(id, 'base64').toString()];
  });
  expect(pages).toEqual([
    ['webhook-destinations', 'WebhookDestination:7'],
    ['credentials', 'Credential:7'],
    ['workflows', 'Workflow:7'],
    ['triggers', 'Trigger:7'],
    ['error-groups', 'ErrorGroup:0b4e2f0e-52c5-51d4-2a51-3f5f2c7f4a10'],
  ]);
});

test('a mail of more groups than it lists says how many are left out', () => {
  const many = Array.from({ length: maxItems + 3 }, (_, n) => item({ key: `failed_runs/${n}`, count: 2 }));
  const { text: plain, html } = writeMail(text(many));
  expect(plain.match(/2 failed runs of Orders/g)).toHaveLength(maxItems);
  expect(plain).toContain('And 6 more in 3 other groups.');
  expect(html).toContain('And 6 more in 3 other groups.');
});
