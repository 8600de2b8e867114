import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { every } from '#src/infra/background/every.ts';
import type { Deps } from '#src/infra/deps.ts';
import { readUntilAnswered } from '#src/infra/live/shared-reader.ts';
import { OutageError } from '#src/infra/postgres/outages.ts';
import { WebhookSender } from '#workers/commerce/webhooks/webhook-sender.ts';
import { throughOutages } from '#workers/register.ts';
import { startOutboxRelay } from '#workers/relay/outbox-relay.ts';

// Pauses come from node:timers/promises, which fake timers leave as it is.
const { setTimeout: realDelay } = timers;
const delayByFakeTimer = ((ms, value, { signal } = {}) =>
  new Promise((resolve, reject) => {
    setTimeout(() => resolve(value as never), ms);
    signal?.addEventListener('abort', () => reject(new Error('aborted')));
  })) satisfies typeof realDelay;
function setDelay(delay: typeof realDelay): void {
  timers.setTimeout = delay;
  syncBuiltinESMExports();
}
beforeEach(() => {
  vi.useFakeTimers();
  setDelay(delayByFakeTimer);
});
afterEach(() => {
  vi.useRealTimers();
  setDelay(realDelay);
});

const log = { warn: () => undefined, error: () => undefined } as unknown as Deps['log'];

/** Dependencies of a loop whose database is away after the first so many transactions. */
function depsAway(meet: () => never, before = 0): Deps {
  let left = before;
  const withSystem = async (): Promise<void> => {
    left -= 1;
    if (left < 0) meet();
  };
  return { log, live: { subscribe: () => () => undefined }, database: { withSystem } } as unknown as Deps;
}

/** `meet` throws what a statement does while the database is away. */
type Start = (meet: () => never) => { stop(): unknown } | Promise<{ stop(): unknown }>;
const loops: [string, Start][] = [
  ['the relay', (meet) => startOutboxRelay(depsAway(meet, 1), [{ name: 'any' } as never])],
  ['a sender of webhooks', (meet) => new WebhookSender(depsAway(meet))],
  ['what is done every hour', (meet) => every({ everyMs: 3_600_000, work: async () => meet(), log, fault: 'Away.' })],
  [
    'a live view',
    (meet) => {
      let isOver = false;
      void readUntilAnswered(
        async () => meet(),
        () => isOver,
        () => undefined,
      );
      return { stop: () => (isOver = true) };
    },
  ],
  [
    'a job',
    (meet) => {
      throughOutages({ expireInSeconds: 3_600 }, async () => meet()).catch(() => undefined);
      return { stop: () => undefined };
    },
  ],
];

test.each(loops)('%s tries again every second after an outage of ten minutes', async (_name, start) => {
  const tries: number[] = [];
  const loop = await start(() => {
    tries.push(Date.now());
    throw new OutageError('away');
  });
  await vi.advanceTimersByTimeAsync(600_000);
  const lately = tries.filter((at) => at > Date.now() - 10_000);
  expect(lately.length).toBeGreaterThanOrEqual(9);
  expect(lately.length).toBeLessThan(100);
  const stopped = loop.stop();
  await vi.advanceTimersByTimeAsync(5_000);
  await stopped;
});
