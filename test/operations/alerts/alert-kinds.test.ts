import { afterAll, beforeEach, expect } from 'vitest';
import { createMailer } from '#src/infra/mail/mailer.ts';
import { verifyBody, verifyMessage } from '#src/infra/signing/webhook-signatures.ts';
import { type AlertKind, alertKinds } from '#src/operations/alerts/alert-recipients.inputs.ts';
import { insertWorkflow } from '#test/automation/runs/run-rows.ts';
import { type Receiver, startReceiver } from '#test/commerce/webhooks/receiver.ts';
import { type MailServer, startMailServer } from '#test/infra/mail/mail-server.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import {
  addRecipient,
  asOwner,
  captureLetter,
  causes,
  clear,
  failRun,
  messages,
  pass,
  sendWaiting,
  tenantId,
} from './failures.ts';

const secret = 'whsec_c2VjcmV0LW9mLXRoZS1yZWNlaXZlci0wMQ==';

let api: TestApp;
let mail: MailServer;
let receiver: Receiver;
test.beforeAll(async ({ api: started }) => {
  api = started;
  mail = await startMailServer();
  receiver = await startReceiver();
  api.egressAllow.add(receiver.address);
  api.services.alerts.mailer = createMailer({ url: mail.url, from: 'alerts@hub.example' });
});
afterAll(async () => {
  await mail.stop();
  await receiver.close();
});
beforeEach(async () => {
  await clear(api);
  mail.mails.length = 0;
  receiver.arrived.length = 0;
});

const graphName = (kind: AlertKind) => kind.toUpperCase();
const escape = (text: string) => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');

test.for(alertKinds)('%s are told by mail, without payloads and values', async (kind) => {
  await addRecipient(api, { kinds: [graphName(kind)], addresses: ['ops@shop.example'] });
  await causes[kind].cause(api);
  await pass(api);
  expect(await sendWaiting(api)).toEqual([]);
  const [taken, ...more] = mail.mails;
  expect(more).toEqual([]);
  const { headline, reason } = causes[kind];
  expect(taken?.to).toEqual(['ops@shop.example']);
  expect(taken?.headers.get('subject')).toContain(`[Acme shop] ${headline}`);
  expect(taken?.body).toContain(headline);
  expect(taken?.body).toContain(escape(headline));
  expect(taken?.body).toContain(`http://localhost/console/t/${tenantId}/`);
  if (reason !== undefined) expect(taken?.body).toContain(reason);
  for (const value of ['sk_live', 'SO-1001', '4111', 'secret-path', '<b>to</b> ERP</'])
    expect(taken?.raw).not.toContain(value);
  expect(await messages(api)).toMatchObject([{ status: 'sent', attempts: 1, error: null }]);
});

test.for(alertKinds)('%s are told by a call with the signature of webhooks', async (kind) => {
  await addRecipient(api, { kinds: [graphName(kind)], url: `${receiver.url}/alerts`, secret });
  await causes[kind].cause(api);
  await pass(api);
  expect(await sendWaiting(api)).toEqual([]);
  const [arrived, ...more] = receiver.arrived;
  expect(more).toEqual([]);
  const { headline, reason = null } = causes[kind];
  expect(arrived?.event).toMatchObject({
    topic: 'alert',
    tenant_id: tenantId,
    data: { test: false, count: 1, summary: headline, alerts: [{ kind, count: 1, summary: headline, reason }] },
  });
  const { headers = {}, body = Buffer.alloc(0) } = arrived ?? {};
  const header = (name: string) => String(headers[name]);
  expect(header('webhook-id')).toBe(arrived?.event.id);
  expect(verifyBody(body, header('x-platform-signature'), [secret])).toBe(true);
  const signed = { id: header('webhook-id'), timestamp: header('webhook-timestamp'), body };
  expect(verifyMessage(signed, header('webhook-signature'), [secret])).toBe(true);
});

test('a recipient is told of nothing but its kinds', async () => {
  await addRecipient(api, { kinds: ['DEAD_LETTERS'], url: `${receiver.url}/alerts` });
  for (const kind of alertKinds.filter((each) => each !== 'dead_letters')) await causes[kind].cause(api);
  await pass(api);
  expect(await messages(api)).toEqual([]);
});

test('a recipient is told of no test run, and of no failure of another tenant', async () => {
  await addRecipient(api, { url: `${receiver.url}/alerts` });
  const other = 'acme-outlet';
  await failRun(api, await insertWorkflow(api.database, tenantId, 'Tried'), 'No order.', { isTest: true });
  await failRun(api, await insertWorkflow(api.database, other, 'Theirs'), 'No order.', { tenant: other });
  await pass(api);
  expect(await messages(api)).toEqual([]);
});

test.for([
  ['a group that was resolved', `UPDATE error_groups SET status = 'resolved'`],
  ['a group that was muted', `UPDATE error_groups SET status = 'muted'`],
  ['dead letters that were discarded', `UPDATE dead_letters SET status = 'discarded'`],
  ['a destination that was enabled', `UPDATE webhook_destinations SET status = 'enabled', disabled_reason = NULL`],
  ['a credential that was renewed', `UPDATE credentials SET expires_at = now() + interval '1 year'`],
  ['a poll that succeeded', `UPDATE polls SET failures = 0`],
] as const)('nobody is told of %s before a message was due', async ([what, mend]) => {
  await addRecipient(api, {
    kinds: what.includes('group')
      ? ['FAILED_RUNS']
      : alertKinds.filter((kind) => kind !== 'failed_runs').map(graphName),
    url: `${receiver.url}/alerts`,
    hourlyLimit: 1,
  });
  // The message that the limit allows is about something else.
  const first = what.includes('group') ? 'failed_runs' : 'dead_letters';
  await causes[first].cause(api);
  await pass(api);
  expect(await sendWaiting(api)).toEqual([]);
  if (first === 'failed_runs') await failRun(api, await insertWorkflow(api.database, tenantId, 'Later'), 'Other.');
  else {
    await captureLetter(api, await insertWorkflow(api.database, tenantId, 'Later'), 'Not active.');
    await causes.disabled_destinations.cause(api);
    await causes.expiring_credentials.cause(api);
    await causes.failing_polls.cause(api);
  }
  await pass(api);
  await asOwner(api, mend);
  const later = new Date(Date.now() + 2 * 3_600_000);
  await pass(api, later);
  await sendWaiting(api, later);
  const told = receiver.arrived.slice(1).flatMap(({ event }) => event.data['alerts'] as { kind: string }[]);
  const all = first === 'failed_runs' ? ['failed_runs'] : alertKinds.filter((kind) => kind !== 'failed_runs');
  const mended = {
    group: 'failed_runs',
    letters: 'dead_letters',
    destination: 'disabled_destinations',
    credential: 'expiring_credentials',
    poll: 'failing_polls',
  };
  const [, gone] = Object.entries(mended).find(([word]) => what.includes(word)) ?? [];
  expect(told.map(({ kind }) => kind).toSorted()).toEqual(all.filter((kind) => kind !== gone).toSorted());
});
