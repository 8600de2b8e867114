import fc from 'fast-check';
import { beforeEach, expect, onTestFinished } from 'vitest';
import { makeDueMessages } from '#src/operations/alerts/alert-messages.service.ts';
import { type AlertContent, countIn } from '#src/operations/alerts/alerts.rules.ts';
import { noteStates } from '#src/operations/alerts/note-alerts.service.ts';
import { addFailedRuns } from '#src/operations/alerts/note-alerts.store.ts';
import { insertWorkflow } from '#test/automation/runs/run-rows.ts';
import { type Receiver, startReceiver, status } from '#test/commerce/webhooks/receiver.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { addRecipient, asOwner, clear, disableDestination, sendWaiting, tenantId } from './failures.ts';

let api: TestApp;
let receiver: Receiver;
test.beforeAll(async ({ api: started }) => {
  api = started;
  receiver = await startReceiver();
  api.egressAllow.add(receiver.address);
});
test.afterAll(() => receiver.close());
beforeEach(() => clear(api));

const minuteMs = 60_000;
const begin = Date.parse('2026-06-01T00:00:00Z');
const groups = 4;

/** Runs that have failed, one for each group: two workflows and two error groups. */
async function insertRuns(): Promise<{ id: number }[]> {
  const workflows = [];
  for (const name of ['Orders', 'Stock']) workflows.push(await insertWorkflow(api.database, tenantId, name));
  return asOwner(
    api,
    `INSERT INTO runs (tenant_id, workflow_id, bundle_id, revision, trigger_type, status, error_group_id)
     SELECT $1, ($3::bigint[])[1 + n % 2], 1, 1, 'manual', 'failed', ('00000000-0000-4000-8000-00000000000' || n / 2)::uuid FROM generate_series(0, $2 - 1) AS n
     RETURNING id`,
    [tenantId, groups, workflows],
  );
}

interface Sent {
  at: number;
  content: AlertContent;
}

async function sentMessages(): Promise<Sent[]> {
  const { rows } = await api.database.system.query<{ sent_at: Date; content: AlertContent }>(
    'SELECT sent_at, content FROM alert_messages WHERE sent_at IS NOT NULL ORDER BY sent_at, id',
  );
  return rows.map(({ sent_at: at, content }) => ({ at: at.getTime(), content }));
}

const steps = fc.array(
  fc.record({
    minutes: fc.integer({ min: 1, max: 40 }),
    group: fc.nat(groups - 1),
    failures: fc.integer({ min: 0, max: 3 }),
  }),
  { minLength: 1, maxLength: 25 },
);
const settings = fc.record({
  groupMinutes: fc.integer({ min: 1, max: 120 }),
  hourlyLimit: fc.integer({ min: 1, max: 4 }),
});

test('over any course of failures, no limit is exceeded and every failure is told once', async () => {
  await fc.assert(
    fc.asyncProperty(steps, settings, async (course, { groupMinutes, hourlyLimit }) => {
      await clear(api);
      const runs = await insertRuns();
      await addRecipient(api, { url: `${receiver.url}/alerts`, groupMinutes, hourlyLimit });
      let now = begin;
      let failures = 0;
      const pass = async (): Promise<void> => {
        const at = new Date(now);
        await makeDueMessages(api.deps, at);
        expect(await sendWaiting(api, at)).toEqual([]);
      };
      for (const step of course) {
        now += step.minutes * minuteMs;
        failures += step.failures;
        const failed = Array.from({ length: step.failures }, () => ({
          tenantId,
          runId: runs[step.group]?.id ?? 0,
          at: new Date(now),
        }));
        if (failed.length > 0) await api.database.withSystem((tx) => addFailedRuns(tx, new Date(now), failed));
        await pass();
      }
      // Whatever the limits hold back is told within the next hours.
      for (let i = 0; i < groups + 1; i++) {
        now += Math.max(60, groupMinutes) * minuteMs;
        await pass();
      }
      const sent = await sentMessages();
      const told = sent.flatMap(({ at, content }) => content.items.map(({ key, count }) => ({ at, key, count })));
      expect(told.reduce((sum, { count }) => sum + count, 0)).toBe(failures);
      for (const [place, { at }] of sent.entries()) {
        const before = sent[place - hourlyLimit];
        if (before) expect(at - before.at).toBeGreaterThanOrEqual(60 * minuteMs);
      }
      for (const own of Map.groupBy(told, ({ key }) => key).values())
        for (const [place, { at }] of own.entries()) {
          const before = own[place - 1];
          if (before) expect(at - before.at).toBeGreaterThanOrEqual(groupMinutes * minuteMs);
        }
    }),
    { numRuns: 12 },
  );
}, 120_000);

test('a thousand failures of two groups are one message', async () => {
  const runs = await insertRuns();
  await addRecipient(api, { url: `${receiver.url}/alerts` });
  const at = new Date(begin);
  const failed = Array.from({ length: 1_000 }, (_, n) => ({ tenantId, runId: runs[n % 2]?.id ?? 0, at }));
  await api.database.withSystem((tx) => addFailedRuns(tx, at, failed));
  await makeDueMessages(api.deps, at);
  await sendWaiting(api, at);
  const [only, ...more] = await sentMessages();
  expect(more).toEqual([]);
  expect(only?.content.items.map(({ count }) => count)).toEqual([500, 500]);
});

test('a group beyond the list counts once in a message that waits, however often it comes back', async () => {
  const workflow = await insertWorkflow(api.database, tenantId, 'Orders');
  const runs = await asOwner(
    api,
    `INSERT INTO runs (tenant_id, workflow_id, bundle_id, revision, trigger_type, status, error_group_id)
     SELECT $1, $2, 1, 1, 'manual', 'failed', ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid FROM generate_series(1, 60) AS n
     RETURNING id`,
    [tenantId, workflow],
  );
  await addRecipient(api, { url: `${receiver.url}/alerts`, groupMinutes: 1 });
  onTestFinished(() => {
    receiver.answer = status(200);
  });
  receiver.answer = status(503);
  for (const minute of [0, 10, 20, 30]) {
    const at = new Date(begin + minute * minuteMs);
    // The last five groups first appear in the second round.
    const failed = runs.slice(0, minute === 0 ? 55 : 60).map(({ id: runId }) => ({ tenantId, runId, at }));
    await api.database.withSystem((tx) => addFailedRuns(tx, at, failed));
    await makeDueMessages(api.deps, at);
    if (minute === 30) receiver.answer = status(200);
    await sendWaiting(api, at);
  }
  const [only, ...others] = await sentMessages();
  expect(others).toEqual([]);
  expect(only?.content.items).toHaveLength(50);
  expect(only?.content.moreGroups).toBe(10);
  expect(only && countIn(only.content)).toBe(55 + 3 * 60);
});

test('a destination that is disabled again and again is told once within the time of its group', async () => {
  await addRecipient(api, {
    kinds: ['DISABLED_DESTINATIONS'],
    url: `${receiver.url}/alerts`,
    groupMinutes: 30,
    hourlyLimit: 60,
  });
  const [destination] = await disableDestination(api, 'ERP');
  const set = (status: string) =>
    asOwner(api, 'UPDATE webhook_destinations SET status = $2, disabled_reason = $3 WHERE id = $1', [
      destination?.id,
      status,
      status === 'disabled' ? 'gone' : null,
    ]);
  // Every five minutes for two hours.
  for (let minute = 0; minute < 120; minute += 5) {
    await set((minute / 5) % 2 === 0 ? 'disabled' : 'enabled');
    const at = new Date(begin + minute * minuteMs);
    await noteStates(api.deps, at);
    await makeDueMessages(api.deps, at);
    await sendWaiting(api, at);
  }
  const minutes = (await sentMessages()).map(({ at }) => (at - begin) / minuteMs);
  expect(minutes).toEqual([0, 30, 60, 90]);
});
