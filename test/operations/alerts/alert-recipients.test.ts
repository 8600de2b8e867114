import { afterAll, beforeEach, expect } from 'vitest';
import { systemActor } from '#src/infra/deps.ts';
import { createMailer } from '#src/infra/mail/mailer.ts';
import { recordAudits } from '#src/journal/audit/audit.service.ts';
import { hourlyOfTenant } from '#src/operations/alerts/alert-recipients.inputs.ts';
import { auditedAlertRecipient } from '#src/operations/alerts/alerts.declarations.ts';
import { type Receiver, startReceiver, status } from '#test/commerce/webhooks/receiver.ts';
import { type MailServer, startMailServer } from '#test/infra/mail/mail-server.ts';
import { test } from '#test/setup/app-test.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';
import { addRecipient, causes, clear, messages, pass, sendWaiting } from './failures.ts';

let api: TestApp;
let mail: MailServer;
let receiver: Receiver;
test.beforeAll(async ({ api: started }) => {
  api = started;
  mail = await startMailServer();
  receiver = await startReceiver();
  api.egressAllow.add(receiver.address);
});
afterAll(async () => {
  await mail.stop();
  await receiver.close();
});
beforeEach(async () => {
  api.services.alerts.mailer = createMailer({ url: mail.url, from: 'alerts@hub.example' });
  await clear(api);
  mail.mails.length = 0;
  receiver.arrived.length = 0;
  receiver.answer = status(200);
});

const fields = `id name kinds channel addresses url isSigned expiringDays groupMinutes hourlyLimit active waitingCount
  messages { status isTest summary count attemptCount error sentAt } viewerCan { update delete test }`;
const problems = '... on ValidationError { fields { path messages } } ... on Error { code message }';
const create = `mutation ($input: CreateAlertRecipientInput!) { outcome: createAlertRecipient(input: $input) {
  ... on CreateAlertRecipientPayload { alertRecipient { ${fields} } } ${problems} } }`;
const update = `mutation ($input: UpdateAlertRecipientInput!) { outcome: updateAlertRecipient(input: $input) {
  ... on UpdateAlertRecipientPayload { alertRecipient { ${fields} } } ${problems} } }`;
const remove = `mutation ($input: DeleteAlertRecipientInput!) { outcome: deleteAlertRecipient(input: $input) {
  ... on DeleteAlertRecipientPayload { deletedId } ${problems} } }`;
const tryOut = `mutation ($input: TestAlertRecipientInput!) { outcome: testAlertRecipient(input: $input) {
  ... on TestAlertRecipientPayload { alertMessage { status isTest summary error } alertRecipient { messages { isTest } } } ${problems} } }`;
const list = `query ($filter: AlertRecipientFilter) { alertRecipients(filter: $filter, orderBy: { field: NAME, direction: ASC }) {
  totalCount edges { node { ${fields} } } } }`;

interface Outcome {
  code?: string;
  message?: string;
  fields?: { path: string; messages: string[] }[];
  deletedId?: string;
  alertRecipient?: Record<string, unknown> & { id: string };
  alertMessage?: Record<string, unknown>;
}

async function run(document: string, input: object, as: Caller = {}): Promise<Outcome> {
  const { data, errors } = await api.graphql<{ outcome: Outcome }>(document, { input }, as);
  expect(errors).toBeUndefined();
  return data.outcome;
}

async function readAll(filter: object = {}, as: Caller = {}) {
  const { data, errors } = await api.graphql<{
    alertRecipients: { totalCount: number; edges: { node: Record<string, unknown> }[] };
  }>(list, { filter }, as);
  expect(errors).toBeUndefined();
  return data.alertRecipients;
}

const mailTo = { name: 'Operations', kinds: ['FAILED_RUNS', 'DEAD_LETTERS'], addresses: ['ops@shop.example'] };
const secret = 'a secret of sixteen';

test('a recipient is created, listed, changed to a URL, and deleted, and the audit log has each change', async () => {
  const { alertRecipient: made } = await run(create, mailTo);
  expect(made).toMatchObject({
    ...mailTo,
    channel: 'MAIL',
    url: null,
    isSigned: false,
    expiringDays: 14,
    groupMinutes: 60,
    hourlyLimit: 10,
    active: true,
    waitingCount: 0,
    messages: [],
    viewerCan: { update: true, delete: true, test: true },
  });
  const id = made?.id ?? '';
  await run(create, { ...mailTo, name: 'Night', active: false });
  expect((await readAll()).edges.map(({ node }) => node['name'])).toEqual(['Night', 'Operations']);
  expect((await readAll({ active: true })).edges.map(({ node }) => node['name'])).toEqual(['Operations']);
  expect((await readAll({ search: 'nigh' })).totalCount).toBe(1);
  const changed = await run(update, { id, url: `${receiver.url}/alerts`, secret, hourlyLimit: 3 });
  expect(changed.alertRecipient).toMatchObject({ channel: 'WEBHOOK', addresses: [], isSigned: true, hourlyLimit: 3 });
  const back = await run(update, { id, addresses: ['a@shop.example'] });
  expect(back.alertRecipient).toMatchObject({ channel: 'MAIL', url: null, isSigned: false });
  expect((await run(remove, { id })).deletedId).toBe(id);
  expect((await run(remove, { id })).code).toBe('NOT_FOUND');
  const { rows } = await api.database.system.query<{ action: string; metadata: object }>(
    `SELECT action, metadata FROM audit_entries WHERE resource_type = 'alert_recipient' AND resource_id = $1 ORDER BY id`,
    [Buffer.from(id, 'base64').toString().split(':')[1]],
  );
  expect(rows.map(({ action }) => action)).toEqual(['create', 'update', 'update', 'delete']);
  expect(JSON.stringify(rows)).not.toContain(secret);
});

test.for([
  ['neither addresses nor a URL', { addresses: null }, 'addresses'],
  ['both', { url: 'https://hooks.example' }, 'url'],
  ['a URL that may not be called', { addresses: null, url: 'http://169.254.169.254/latest' }, 'url'],
  ['an address that would add a header', { addresses: ['a@shop.example\r\nBcc: b@shop.example'] }, 'addresses.0'],
  ['two addresses in one', { addresses: ['a@shop.example, b@shop.example'] }, 'addresses.0'],
  ['an address with points that follow one another', { addresses: ['a..b@shop.example'] }, 'addresses.0'],
  ['an address that begins with a point', { addresses: ['.a@shop.example'] }, 'addresses.0'],
  ['an address whose name ends with a point', { addresses: ['a.@shop.example'] }, 'addresses.0'],
  ['an address of a host without a name', { addresses: ['a@.example'] }, 'addresses.0'],
  ['the same address twice', { addresses: ['a@shop.example', 'A@shop.example'] }, 'addresses'],
  ['no kind', { kinds: [] }, 'kinds'],
  ['a secret for mail', { secret: 'a secret of sixteen' }, 'secret'],
  ['a secret that is short', { addresses: null, url: 'https://hooks.example', secret: 'short' }, 'secret'],
  ['no messages at all', { hourlyLimit: 0 }, 'hourlyLimit'],
  ['a time between messages of weeks', { groupMinutes: 99_999 }, 'groupMinutes'],
] as const)('%s is refused', async ([, given, path]) => {
  const outcome = await run(create, { ...mailTo, ...given });
  expect(outcome.code).toBe('VALIDATION_FAILED');
  expect(outcome.fields?.map((field) => field.path)).toEqual([path]);
});

test('where the operator has set no mail server, addresses are refused with what to do', async () => {
  api.services.alerts.mailer = null;
  const { fields: wrong } = await run(create, mailTo);
  expect(wrong).toEqual([{ path: 'addresses', messages: [expect.stringContaining('SMTP_URL')] }]);
  expect((await run(create, { ...mailTo, addresses: null, url: `${receiver.url}/alerts` })).code).toBeUndefined();
});

test('a member of the tenant sees recipients and changes none; another tenant and an API key see none', async () => {
  const id = await addRecipient(api, mailTo);
  const member = { roles: ['user'] };
  const [seen] = (await readAll({}, member)).edges;
  expect(seen?.node).toMatchObject({ id, viewerCan: { update: false, delete: false, test: false } });
  const attempts: [string, object][] = [
    [create, mailTo],
    [update, { id, name: 'Mine' }],
    [remove, { id }],
    [tryOut, { id }],
  ];
  for (const [document, input] of attempts) {
    const { errors } = await api.graphql(document, { input }, member);
    expect(errors?.[0]?.extensions?.code).toBe('FORBIDDEN');
    if (document === create) continue;
    expect((await run(document, input, { tenant: 'acme-outlet' })).code).toBe('NOT_FOUND');
  }
  expect((await readAll({}, { tenant: 'acme-outlet' })).totalCount).toBe(0);
  const { errors } = await api.graphql(list, {}, { apiKey: await api.apiKey(['webhooks:read', 'webhooks:write']) });
  expect(errors?.[0]?.extensions?.code).toBe('FORBIDDEN');
});

test('a test message says at once whether it was taken, by mail and by a call', async () => {
  const byMail = await addRecipient(api, mailTo);
  const sent = await run(tryOut, { id: byMail });
  expect(sent.alertMessage).toEqual({ status: 'SENT', isTest: true, summary: 'Test message', error: null });
  expect(mail.mails[0]?.headers.get('subject')).toBe('[Acme shop] Test message');
  mail.answer = { code: 554, message: 'Not from you' };
  const refused = await run(tryOut, { id: byMail });
  expect(refused.alertMessage).toMatchObject({
    status: 'FAILED',
    error: expect.stringContaining('Not from you') as string,
  });
  mail.answer = null;
  const byCall = await addRecipient(api, { ...mailTo, addresses: null, url: `${receiver.url}/alerts`, secret });
  expect((await run(tryOut, { id: byCall })).alertMessage).toMatchObject({ status: 'SENT' });
  expect(receiver.arrived[0]?.event).toMatchObject({ topic: 'alert', data: { test: true, count: 0, alerts: [] } });
  receiver.answer = status(500);
  expect((await run(tryOut, { id: byCall })).alertMessage).toMatchObject({
    status: 'FAILED',
    error: 'The URL answered 500.',
  });
  for (let n = 0; n < 8; n++) await run(tryOut, { id: byCall });
  expect((await run(tryOut, { id: byCall })).code).toBe('TOO_MANY_ATTEMPTS');
  // A test that failed is not sent later.
  expect(await sendWaiting(api)).toEqual([]);
});

test('deleting recipients and adding them again does not let a tenant send more tests, or add more, than it may within an hour', async () => {
  const outlet = { tenant: 'acme-outlet' };
  const added = await run(create, { ...mailTo }, outlet);
  const id = added.alertRecipient?.id ?? '';
  const record = (action: 'create' | 'test', count: number) =>
    api.database.withTenant(outlet.tenant, (tx) =>
      recordAudits(
        tx,
        systemActor('acme', outlet.tenant),
        { resource: auditedAlertRecipient, action },
        Array.from({ length: count }, (_, index) => 1_000 + index),
      ),
    );
  await record('test', hourlyOfTenant - 1);
  expect((await run(tryOut, { id }, outlet)).alertMessage).toMatchObject({ status: 'SENT' });
  expect(await run(tryOut, { id }, outlet)).toMatchObject({
    code: 'TOO_MANY_ATTEMPTS',
    message: expect.stringContaining('100 tests of alert recipients') as string,
  });
  await record('create', hourlyOfTenant - 2);
  const last = await run(create, { ...mailTo }, outlet);
  expect((await run(remove, { id: last.alertRecipient?.id }, outlet)).deletedId).toBe(last.alertRecipient?.id);
  expect((await run(create, { ...mailTo }, outlet)).code).toBe('TOO_MANY_ATTEMPTS');
  // Another tenant does as before.
  expect((await run(create, { ...mailTo })).alertRecipient).toBeDefined();
});

test('switching a recipient off drops what waits for it, and it is told of nothing while it is off', async () => {
  const id = await addRecipient(api, { ...mailTo, addresses: null, url: `${receiver.url}/alerts` });
  receiver.answer = status(503);
  await causes.failed_runs.cause(api);
  await pass(api);
  expect(await sendWaiting(api)).toHaveLength(1);
  await run(update, { id, active: false });
  expect(await messages(api)).toEqual([]);
  await causes.dead_letters.cause(api);
  await pass(api);
  expect(await messages(api)).toEqual([]);
  await run(update, { id, active: true });
  await pass(api);
  expect(await messages(api)).toEqual([]);
});
