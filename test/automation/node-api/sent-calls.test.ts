import { expect, test } from 'vitest';
import { maxCalls, type SentCall, sendNoted } from '#src/automation/node-api/sent-calls.ts';
import { EgressError } from '#src/infra/egress/errors.ts';
import type { EgressResponse } from '#src/infra/egress/request.ts';

const answering = (status: number) => ({
  request: async (): Promise<EgressResponse> => ({ status, headers: {}, body: Buffer.alloc(0), url: '' }),
});

test('a request is noted with its answer, without its query and the credentials of its URL', async () => {
  const calls: SentCall[] = [];
  await sendNoted(
    answering(201),
    { calls },
    {
      method: 'post',
      url: 'https://me:secret@erp.example.com/orders?key=secret#top',
    },
  );
  expect(calls).toEqual([
    {
      method: 'POST',
      url: 'https://erp.example.com/orders',
      status: 201,
      error: null,
      durationMs: expect.any(Number),
      at: expect.any(String),
    },
  ]);
});

test('a request that nobody answers is noted with the reason, and fails as before', async () => {
  const calls: SentCall[] = [];
  const failure = new EgressError('timeout', 'No answer in time.');
  const egress = { request: () => Promise.reject(failure) };
  await expect(sendNoted(egress, { calls }, { url: 'not a URL?key=secret' })).rejects.toBe(failure);
  expect(calls).toMatchObject([{ method: 'GET', url: 'not a URL', status: null, error: 'timeout' }]);
});

test('a request under way is noted without an answer', async () => {
  const calls: SentCall[] = [];
  void sendNoted({ request: () => new Promise(() => undefined) }, { calls }, { url: 'https://erp.example.com/' });
  expect(calls).toMatchObject([{ status: null, error: null, durationMs: null }]);
});

test('of many requests the first are noted, and all are sent', async () => {
  const calls: SentCall[] = [];
  const sent: unknown[] = [];
  for (let n = 0; n < maxCalls + 5; n += 1)
    sent.push(await sendNoted(answering(200), { calls }, { url: `https://erp.example.com/${n}` }));
  expect(calls).toHaveLength(maxCalls);
  expect(sent).toHaveLength(maxCalls + 5);
});
