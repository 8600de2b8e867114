import { afterAll, beforeEach, expect } from 'vitest';
import { operations } from '#src/domains/operations.ts';
import { startJobs } from '#src/infra/jobs.ts';
import { createMailer } from '#src/infra/mail/mailer.ts';
import { sendMessage } from '#src/operations/alerts/alert-messages.service.ts';
import { sendAlertJob } from '#src/operations/alerts/alerts.declarations.ts';
import { insertWorkflow } from '#test/automation/runs/run-rows.ts';
import { type MailServer, startMailServer } from '#test/infra/mail/mail-server.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { registerHandlers } from '#workers/register.ts';
import { addRecipient, asOwner, clear, failRun, messages, pass, sendWaiting, tenantId } from './failures.ts';

let api: TestApp;
let mail: MailServer;
test.beforeAll(async ({ api: started }) => {
  api = started;
  mail = await startMailServer();
  api.services.alerts.mailer = createMailer({ url: mail.url, from: 'alerts@hub.example' });
});
afterAll(() => mail.stop());
beforeEach(async () => {
  await clear(api);
  mail.mails.length = 0;
});

const hourMs = 3_600_000;
const quarterMs = hourMs / 4;
const failuresIn = (body: string): number =>
  [...body.matchAll(/^(\d+) failed runs? of/gm)].reduce((sum, [, count]) => sum + Number(count), 0);

test('while the mail server is away for a day, one message waits, and one mail tells all of it afterwards', async () => {
  await addRecipient(api, { addresses: ['ops@shop.example'], hourlyLimit: 10 });
  const workflows = [];
  for (const name of ['Orders', 'Stock', 'Prices']) workflows.push(await insertWorkflow(api.database, tenantId, name));
  await mail.stop();
  const begin = Date.now();
  let failures = 0;
  for (let quarter = 0; quarter < 96; quarter++) {
    const at = new Date(begin + quarter * quarterMs);
    await failRun(api, workflows[quarter % workflows.length] ?? 0, 'The ERP is away.');
    failures += 1;
    await pass(api, at);
    const errors = await sendWaiting(api, at);
    expect(errors).toEqual([expect.stringMatching(/The mail server did not take the mail/)]);
    expect(await messages(api)).toMatchObject([{ status: 'pending', attempts: quarter + 1 }]);
  }
  await mail.start();
  const back = new Date(begin + 26 * hourMs);
  expect(await sendWaiting(api, back)).toEqual([]);
  expect(mail.mails.map(({ body }) => failuresIn(body))).toEqual([failures]);
  await pass(api, new Date(begin + 40 * hourMs));
  expect(await messages(api)).toMatchObject([{ status: 'sent' }]);
}, 120_000);

test('a process that dies after it has sent a mail sends the same mail once more, and later failures in another', async () => {
  await addRecipient(api, { addresses: ['ops@shop.example'] });
  await failRun(api, await insertWorkflow(api.database, tenantId, 'Orders'), 'The ERP is away.');
  await pass(api);
  const [made] = await messages(api);
  let calls = 0;
  const dying = () => {
    // Asked for when the attempt begins, when the mail is written, and when its outcome is recorded.
    calls += 1;
    if (calls === 3) throw new Error('The process ends here.');
    return new Date();
  };
  const key = { tenantId, messageId: made?.id ?? 0 };
  await expect(sendMessage(api.services, key, dying)).rejects.toThrow('The process ends here.');
  expect(await messages(api)).toMatchObject([{ status: 'sending', attempts: 1 }]);
  await failRun(api, await insertWorkflow(api.database, tenantId, 'Stock'), 'No stock.');
  await pass(api);
  expect(await sendWaiting(api)).toEqual([]);
  expect(mail.mails).toHaveLength(2);
  const [first, second] = mail.mails;
  expect(second?.headers.get('message-id')).toBe(first?.headers.get('message-id'));
  expect(second?.body).toContain('Orders');
  expect(second?.body).not.toContain('Stock');
  await pass(api);
  expect(await sendWaiting(api)).toEqual([]);
  expect(mail.mails).toHaveLength(3);
  expect(mail.mails[2]?.body).toContain('Stock');
  // A job that comes twice sends nothing more.
  await sendMessage(api.services, key);
  expect(mail.mails).toHaveLength(3);
});

test('a message that is changed while it waits gets another id, and addresses are those of now', async () => {
  const id = await addRecipient(api, { addresses: ['gone@shop.example'] });
  mail.refused.add('gone@shop.example');
  await failRun(api, await insertWorkflow(api.database, tenantId, 'Orders'), 'The ERP is away.');
  await pass(api);
  expect(await sendWaiting(api)).toHaveLength(1);
  const [before] = await messages(api);
  expect(before?.error).toContain('gone@shop.example');
  await failRun(api, await insertWorkflow(api.database, tenantId, 'Stock'), 'No stock.');
  await pass(api);
  const input = { id, addresses: ['ops@shop.example'] };
  await api.graphql(
    'mutation ($input: UpdateAlertRecipientInput!) { updateAlertRecipient(input: $input) { __typename } }',
    { input },
  );
  expect(await sendWaiting(api)).toEqual([]);
  expect(mail.mails.map(({ to }) => to)).toEqual([['ops@shop.example']]);
  expect(mail.mails[0]?.body).toMatch(/Orders[^]*Stock/);
  expect((await messages(api))[0]?.event_id).not.toBe(before?.event_id);
});

test('the job of a message sends it, and one that fails for the last time is a failed job', async () => {
  await addRecipient(api, { addresses: ['ops@shop.example'] });
  await failRun(api, await insertWorkflow(api.database, tenantId, 'Orders'), 'The ERP is away.');
  mail.answer = { code: 554, message: 'Not from you' };
  await pass(api);
  const limit = sendAlertJob.retry.limit;
  await asOwner(api, `UPDATE alert_messages SET attempts = ${limit}`);
  await asOwner(
    api,
    `DELETE FROM pgboss.job WHERE name = $1 AND (data ->> 'messageId')::bigint <> (SELECT max(id) FROM alert_messages)`,
    [sendAlertJob.name],
  );
  await asOwner(api, 'UPDATE pgboss.job SET retry_count = retry_limit WHERE name = $1', [sendAlertJob.name]);
  const jobs = await startJobs({
    database: api.database,
    maintain: { url: api.databaseUrl },
    onError: () => undefined,
  });
  try {
    const handlers = (operations.handlers ?? []).filter(({ job }) => job === sendAlertJob);
    await registerHandlers({ ...api.services, deps: { ...api.deps, jobs } }, handlers);
    const failed = 'query { failedJobs(first: 5) { edges { node { id job error } } } }';
    type Failed = { failedJobs: { edges: { node: { id: string; job: string; error: string } }[] } };
    const operator = { roles: ['operator'], tenant: null };
    const read = async () => (await api.graphql<Failed>(failed, {}, operator)).data.failedJobs.edges;
    await expect
      .poll(read, { timeout: 20_000, interval: 200 })
      .toMatchObject([{ node: { job: sendAlertJob.name, error: expect.stringContaining('Not from you') as string } }]);
    expect(await messages(api)).toMatchObject([{ status: 'failed', attempts: limit + 1 }]);
    mail.answer = null;
    const [first] = await read();
    const retry = 'mutation ($id: ID!) { retryFailedJob(input: { id: $id }) { __typename } }';
    expect((await api.graphql(retry, { id: first?.node.id }, operator)).errors).toBeUndefined();
    await expect.poll(() => messages(api), { timeout: 20_000, interval: 200 }).toMatchObject([{ status: 'sent' }]);
    expect(mail.mails).toHaveLength(1);
  } finally {
    await jobs.stop();
  }
}, 60_000);
