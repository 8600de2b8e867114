import { expect } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { createHooks, startWorker } from '#test/commerce/webhooks/hooks.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** Starts the command; resolves with its port once it listens. */
async function listen(argv: string[], env: Record<string, string> = {}) {
  const told = { out: '', err: '' };
  const listening = Promise.withResolvers<number>();
  const code = runCauseway(['webhooks', 'listen', '--port', '0', ...argv], {
    out: (text) => void (told.out += text),
    err(text) {
      told.err += text;
      const [, port] = /Listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(text) ?? [];
      if (port) listening.resolve(Number(port));
    },
    env,
    cwd: '/',
  });
  return { port: await listening.promise, told, code };
}

const post = (port: number, body: string) => fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body });

test('a delivery is verified, printed and answered', async ({ api, onTestFinished }) => {
  const worker = await startWorker(api);
  onTestFinished(() => worker.stop());
  const { port, told, code } = await listen(['--count', '1'], { WEBHOOK_SECRET: secret });
  api.egressAllow.add(`127.0.0.1:${port}`);
  const hooks = createHooks(api);
  const { id } = await hooks.create({ url: `http://127.0.0.1:${port}/hooks`, topics: ['order.created'], secret });
  await callPlatform(api, 'POST', `/webhooks/destinations/${id}/ping`);
  expect(await code).toBe(0);
  const [delivery] = await hooks.until(id, (found) => found[0]?.status === 'delivered');
  expect(told.out).toMatch(/^\d{4}-\S+Z  webhook\.ping  \S+  verified  answered 200\n\{\n  "id": /);
  expect(told.out).toContain(delivery?.event_id);
  expect(told.out + told.err).not.toContain(secret);
});

test('with another secret a delivery is answered 401, with the reason', async ({ api, onTestFinished }) => {
  const worker = await startWorker(api);
  onTestFinished(() => worker.stop());
  const { port, told, code } = await listen(['--count', '1', '--json', '--secret', 'some-other-secret-of-mine']);
  api.egressAllow.add(`127.0.0.1:${port}`);
  const hooks = createHooks(api);
  const { id } = await hooks.create({ url: `http://127.0.0.1:${port}/hooks`, topics: ['order.created'], secret });
  await callPlatform(api, 'POST', `/webhooks/destinations/${id}/ping`);
  expect(await code).toBe(1);
  expect(JSON.parse(told.out)).toMatchObject({
    topic: 'webhook.ping',
    verified: false,
    fault: 'signature_wrong',
    status: 401,
    body: { topic: 'webhook.ping' },
  });
  const [delivery] = await hooks.until(id, (found) => (found[0]?.attempts.length ?? 0) > 0);
  expect(delivery?.attempts).toMatchObject([{ status: 'failed', http_code: 401 }]);
});

test('another status is answered on request, and without a secret nothing is verified', async () => {
  const { port, told, code } = await listen(['--count', '2', '--status', '503', '--json']);
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(405);
  expect([(await post(port, '{"a":1}')).status, (await post(port, 'text')).status]).toEqual([503, 503]);
  expect(await code).toBe(0);
  expect(told.err).toContain('Nothing is verified without --secret');
  const lines = told.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(lines).toMatchObject([
    { id: null, topic: null, verified: null, body: { a: 1 } },
    { verified: null, body: 'text' },
  ]);
});

test.for([
  [['--status', '99'], '--status takes a whole number from 200 to 599.'],
  [['--port', 'http'], '--port takes a whole number from 0 to 65535.'],
  [['--count', '0'], '--count takes a whole number from 1 to'],
  [['4400'], 'takes options alone'],
] as const)('refuses %j', async ([argv, message]) => {
  let err = '';
  const io = { out: () => undefined, err: (text: string) => void (err += text), env: {}, cwd: '/' };
  expect(await runCauseway(['webhooks', 'listen', ...argv], io)).toBe(2);
  expect(err).toContain(message);
});

test('a taken port is reported', async () => {
  const { port, code } = await listen(['--count', '1']);
  let err = '';
  const io = { out: () => undefined, err: (text: string) => void (err += text), env: {}, cwd: '/' };
  expect(await runCauseway(['webhooks', 'listen', '--port', String(port)], io)).toBe(1);
  expect(err).toMatch(/^Port \d+ is in use, .* choose another with --port/);
  await post(port, '{}');
  expect(await code).toBe(0);
});
