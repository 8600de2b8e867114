import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { verifyBody } from '#src/infra/signing/webhook-signatures.ts';
import { publishEvents } from '#src/journal/outbox/outbox.ts';
import { test } from '#test/setup/app-test.ts';
import { anyTopic, createHooks, startWorker } from './hooks.ts';
import { startReceiver } from './receiver.ts';

const tenantId = 'acme-shop';
const topic = 'test.replaced';
const [former, next] = ['the former secret', 'the next secret'] as const;

test('a backlog is not signed with a cached secret of the tenant after that is replaced or deleted', async ({
  api,
  onTestFinished,
}) => {
  const receiver = await startReceiver();
  api.egressAllow.add(receiver.address);
  const worker = await startWorker(api, { secretCheckMs: 200 });
  onTestFinished(async () => {
    await worker.stop();
    await receiver.close();
  });
  const put = (value: string) =>
    api.graphql(`mutation { putSecret(input: { key: "REPLACED", value: "${value}" }) { __typename } }`);
  await put(former);
  const hooks = createHooks(api);
  // After the first ten, 160 are read together: eight seconds of work.
  const { id } = await hooks.create({
    url: `${receiver.url}/hooks`,
    topics: [topic],
    secret_ref: 'REPLACED',
    rate_per_second: 20,
  });
  await api.database.withTenant(tenantId, (tx) =>
    publishEvents(
      tx,
      Array.from({ length: 200 }, (_, n) => ({ tenantId, topic: anyTopic(topic), data: { n } })),
    ),
  );
  const signedBy = (secret: string) =>
    receiver.arrived.filter(({ body, headers }) => verifyBody(body, String(headers['x-platform-signature']), [secret]));
  await receiver.until('/hooks', 15);
  await put(next);
  await expect.poll(() => signedBy(next).length, { timeout: 5_000 }).toBeGreaterThan(0);
  expect(signedBy(former).length).toBeLessThan(60);

  await api.graphql('mutation { deleteSecret(input: { key: "REPLACED" }) { __typename } }');
  await expect.poll(async () => (await hooks.read(id)).problem, { timeout: 5_000 }).toContain('REPLACED');
  const sent = receiver.arrived.length;
  await delay(300);
  expect(receiver.arrived).toHaveLength(sent);
  expect(signedBy(former).length + signedBy(next).length).toBe(sent);
});
