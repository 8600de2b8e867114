import { expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import type { SenderOptions } from '#workers/commerce/webhooks/webhook-sender.ts';
import { createHooks, startWorker, withTimeouts } from './hooks.ts';
import { startReceiver } from './receiver.ts';

/** A receiver that answers at `/answers` alone, and a worker whose attempts at the other paths last longer than the test may. */
async function startHanging(
  api: TestApp,
  paths: string[],
  onTestFinished: (stop: () => Promise<void>) => void,
  options?: SenderOptions,
) {
  const receiver = await startReceiver();
  api.egressAllow.add(receiver.address);
  receiver.answer = ({ path }, response) => {
    if (path === '/answers') response.end();
  };
  const worker = await startWorker(withTimeouts(api, 100, paths), options);
  onTestFinished(async () => {
    await receiver.close();
    await worker.stop();
  });
  return receiver;
}

// The first of the file: what the others leave waiting would take all the room.
test('more hanging destinations than a worker has room for do not delay others', async ({ api, onTestFinished }) => {
  const names = Array.from({ length: 12 }, (_, n) => `/hangs/${n}`);
  const receiver = await startHanging(api, names, onTestFinished, { maxQueues: 5 });
  const hooks = createHooks(api);
  for (const path of names) await hooks.create({ url: `${receiver.url}${path}`, topics: ['test.crowding'] });
  const { id } = await hooks.create({ url: `${receiver.url}/answers`, topics: ['test.heard'] });
  await hooks.publish('test.crowding');
  await Promise.all(names.map((path) => receiver.until(path, 1)));

  await hooks.publish('test.heard');
  await hooks.until(id, (found) => found.some(({ status }) => status === 'delivered'));
});

test('hanging destinations do not delay others, whatever their concurrency', async ({ api, onTestFinished }) => {
  const names = Array.from({ length: 8 }, (_, n) => `/hangs/${n}`);
  const receiver = await startHanging(api, names, onTestFinished);
  const hooks = createHooks(api);
  const hanging = await Promise.all(
    names.map((path) => hooks.create({ url: `${receiver.url}${path}`, topics: ['test.hanging'], concurrency: 100 })),
  );
  await hooks.create({ url: `${receiver.url}/answers`, topics: ['test.answered'] });
  await Promise.all(Array.from({ length: 100 }, () => hooks.publish('test.hanging')));
  await Promise.all(names.map((path) => receiver.until(path, 4)));

  await hooks.publish('test.answered');
  await receiver.until('/answers', 1);
  const waited = await Promise.all(hanging.map(({ id }) => hooks.deliveries(id)));
  expect(waited.flat().filter(({ attempts }) => attempts.length > 0)).toEqual([]);
});

test('hanging destinations do not delay others of the same host, however many there are', async ({
  api,
  onTestFinished,
}) => {
  const names = Array.from({ length: 45 }, (_, n) => `/hangs/${n}`);
  const receiver = await startHanging(api, names, onTestFinished);
  const hooks = createHooks(api);
  for (const path of names) await hooks.create({ url: `${receiver.url}${path}`, topics: ['test.hanging'] });
  const { id } = await hooks.create({ url: `${receiver.url}/answers`, topics: ['test.answered'] });
  await Promise.all(Array.from({ length: 4 }, () => hooks.publish('test.hanging')));
  await Promise.all(names.map((path) => receiver.until(path, 4)));

  await hooks.publish('test.answered');
  await hooks.until(id, (found) => found.some(({ status }) => status === 'delivered'));
});

test(
  'a tenant with slow filters is limited to a share of the time, whatever the rate of its events',
  {
    timeout: 120_000,
  },
  async ({ api, onTestFinished }) => {
    const worker = await startWorker(api);
    onTestFinished(() => worker.stop());
    const hooks = createHooks(api);
    const { id } = await hooks.create({
      url: 'https://erp.example.com/hooks',
      topics: ['test.slow'],
      filter: '$sum([1..9999].($sum([1..9999]))) > 0',
    });
    // So many at a time that their filters take most of what this process gets of a busy machine. A batch whose transaction fails is
    // judged again with its time used up, so the tenant may have to wait until it has time for one.
    let reasons: string[] = [];
    const includes = (text: string) => reasons.some((reason) => reason.includes(text));
    while (!includes('take too long together') || !includes('The filter failed')) {
      const isUsedUp = includes('take too long together');
      if (isUsedUp) await new Promise((resolve) => void setTimeout(resolve, 2_000));
      await Promise.all(Array.from({ length: isUsedUp ? 1 : 20 }, () => hooks.publish('test.slow')));
      const found = await hooks.until(id, ({ length }) => length > reasons.length);
      reasons = found.map(({ reason }) => reason ?? '');
      expect(reasons.length, 'the list is full').toBeLessThan(100);
    }
  },
);
