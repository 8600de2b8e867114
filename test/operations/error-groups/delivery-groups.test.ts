import { expect } from 'vitest';
import { createHooks, startWorker } from '#test/commerce/webhooks/hooks.ts';
import { startReceiver, status } from '#test/commerce/webhooks/receiver.ts';
import { startAndExecute } from '#test/operations/bulk-actions/bulk-action-calls.ts';
import { test as base } from '#test/setup/app-test.ts';
import { listGroups, onlyGroup } from './error-group-calls.ts';

const test = base.extend('receiver', { scope: 'file' }, async ({ api }, { onCleanup }) => {
  const receiver = await startReceiver();
  api.egressAllow.add(receiver.address);
  const worker = await startWorker(api);
  onCleanup(async () => {
    await worker.stop();
    await receiver.close();
  });
  return receiver;
});

test('a delivery that is given up joins the group of its destination and answer, and leaves it when it is sent again', async ({
  api,
  receiver,
}) => {
  const hooks = createHooks(api);
  receiver.answer = status(500);
  const { id } = await hooks.create({ url: `${receiver.url}/down`, topics: ['test.down'] });
  for (let n = 0; n < 2; n += 1) await hooks.publish('test.down', { n });
  const pending = await hooks.until(
    id,
    (found) => found.length === 2 && found.every(({ attempts }) => attempts.length === 1),
  );
  expect(await listGroups(api, { kind: 'WEBHOOK_DELIVERY' })).toEqual([]);
  await api.database.system.query('UPDATE webhook_deliveries SET tries = 9 WHERE destination_id = $1', [id]);
  for (const delivery of pending) await hooks.skipDelay(delivery.id);
  await hooks.until(id, (found) => found.every((delivery) => delivery.status === 'failed'));
  const group = await onlyGroup(api, { kind: 'WEBHOOK_DELIVERY' });
  expect(group).toMatchObject({
    node: `destination:${id}`,
    code: 'HTTP_500',
    message: 'The receiver refused it.',
    count: 2,
    workflows: [],
    sampleRun: null,
    sampleWebhookDelivery: { databaseId: pending[1]?.id, status: 'FAILED' },
  });
  receiver.answer = status(200);
  const filter = { errorGroupId: group.id };
  const { data } = await api.graphql<{ webhookDeliveries: { totalCount: number } }>(
    'query ($filter: WebhookDeliveryFilter) { webhookDeliveries(filter: $filter) { totalCount } }',
    { filter },
  );
  expect(data.webhookDeliveries.totalCount).toBe(2);
  expect(await startAndExecute(api, 'resendWebhookDeliveries', { filter })).toMatchObject({ done: 2 });
  await hooks.until(id, (found) => found.every((delivery) => delivery.status === 'delivered'));
  expect(await onlyGroup(api, { kind: 'WEBHOOK_DELIVERY' })).toMatchObject({ id: group.id, count: 0 });
});

test('a delivery that is held because a filter failed joins the group of that fault', async ({ api, receiver }) => {
  const hooks = createHooks(api);
  const filter = 'event.data.total > "a"';
  const { id } = await hooks.create({ url: `${receiver.url}/held`, topics: ['test.held'], filter });
  for (let n = 0; n < 3; n += 1) await hooks.publish('test.held', { total: n });
  await hooks.until(id, (found) => found.length === 3);
  expect(await onlyGroup(api, { code: 'FILTER_FAILED' })).toMatchObject({
    kind: 'WEBHOOK_DELIVERY',
    node: `destination:${id}`,
    message: expect.stringMatching(/^The filter failed/),
    count: 3,
    sampleWebhookDelivery: { status: 'HELD' },
  });
});
