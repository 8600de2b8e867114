import { expect, test } from 'vitest';
import { ActiveExecution } from '#workers/runtime/active-execution.ts';
import { defaultLimits } from '#workers/runtime/limits.ts';
import { childMessageSchema } from '#workers/runtime/messages.ts';
import type { ParentMessage } from '#workers/runtime/messages.ts';
import { executing, memoryBroker } from './harness.ts';

const post = (sent: [ParentMessage, string?][]) => (message: ParentMessage, body?: string) =>
  void sent.push([message, body]);

function activeWith(broker = memoryBroker(), limits = defaultLimits): ActiveExecution {
  const execution = {
    owner: 't',
    ...executing(''),
    entry: 'execute' as const,
    input: {},
    timeoutMs: 1000,
    broker,
  };
  return new ActiveExecution(execution, '{}', limits);
}

test.each([
  ['an unknown type', { type: 'exec', id: 'x' }],
  ['an unknown field', { type: 'done', id: 'x', tenantId: 'other' }],
  ['an unknown method', { type: 'call', id: 'x', call: '1', method: 'constructor' }],
  ['a call number that is not a number', { type: 'call', id: 'x', call: '__proto__', method: 'state.get' }],
  ['an unknown level', { type: 'log', id: 'x', level: 'fatal' }],
  ['an identifier that is not a string', { type: 'done', id: {} }],
  ['no object', 'done'],
])('what a child says is refused when it is %s', (_name, message) => {
  expect(childMessageSchema.safeParse(message).success).toBe(false);
});

test('logs, calls and results stay bounded whatever a child sends', async () => {
  const limits = {
    ...defaultLimits,
    maxLogLines: 3,
    maxLogLineChars: 10,
    maxCalls: 2,
    maxOutputChars: 100,
    maxCallChars: 50,
  };
  const broker = memoryBroker();
  const sent: [ParentMessage, string?][] = [];
  const active = activeWith(broker, limits);
  for (let line = 0; line < 10; line += 1)
    active.receive({ type: 'log', id: active.id, level: 'info' }, 'x'.repeat(99), post(sent));
  const call = (number: string, body: string) =>
    active.receive({ type: 'call', id: active.id, call: number, method: 'credentials.get' }, body, post(sent));
  call('1', '{"reference":"r","field":"f"}');
  call('2', `{"reference":"${'x'.repeat(100)}"}`);
  call('3', '{"reference":"r","field":"f"}');
  await new Promise((resolve) => setImmediate(resolve));
  active.receive({ type: 'done', id: active.id }, `{"a":"${'x'.repeat(200)}"}`, post(sent));

  const outcome = await active.outcome;
  expect(outcome).toMatchObject({ ok: false, kind: 'output_too_large' });
  expect(outcome.logs).toHaveLength(4);
  expect(broker.calls).toEqual(['credential r.f']);
  expect(sent.map(([message, body]) => [message.type, body && JSON.parse(body)])).toEqual([
    ['reply', { message: 'The call is too large.', code: 'CALL_TOO_LARGE' }],
    ['reply', { message: 'Too many calls.', code: 'TOO_MANY_CALLS' }],
    ['reply', 'hunter2-secret-value'],
  ]);
});

test('malformed results and errors are failures, not exceptions', async () => {
  const done = activeWith();
  done.receive({ type: 'done', id: done.id }, 'not json', () => {});
  expect(await done.outcome).toMatchObject({ kind: 'invalid_result' });
  const failed = activeWith();
  failed.receive({ type: 'failed', id: failed.id, kind: 'threw' }, '{"message":5}', () => {});
  expect(await failed.outcome).toMatchObject({
    kind: 'threw',
    error: { message: 'The node failed without a readable error.' },
  });
});

test('messages after the end are ignored', async () => {
  const broker = memoryBroker();
  const active = activeWith(broker);
  active.receive({ type: 'done', id: active.id }, '{"a":1}', () => {});
  active.receive({ type: 'log', id: active.id, level: 'info' }, 'late', () => {});
  active.receive({ type: 'call', id: active.id, call: '1', method: 'credentials.get' }, '{"reference":"r"}', () => {});
  active.receive({ type: 'done', id: active.id }, '{"a":2}', () => {});
  expect(await active.outcome).toEqual({ ok: true, value: { outputs: { a: 1 }, branch: 'default' }, logs: [] });
  expect([broker.calls, broker.lines]).toEqual([[], []]);
});
