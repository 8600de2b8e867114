import { randomUUID } from 'node:crypto';
import { queuesChannel } from '#src/commerce/webhooks/queue-notices.service.ts';
import type { BackgroundLoop } from '#src/infra/background/background-loops.ts';
import { every } from '#src/infra/background/every.ts';
import type { Deps } from '#src/infra/deps.ts';
import { createRepeatedWarning } from '#src/infra/logs/repeated-warning.ts';
import { outageRetryMs } from '#src/infra/postgres/outages.ts';
import { pause } from '#src/infra/timing/timers.ts';
import { createWakeUp } from '#src/infra/timing/wake-up.ts';
import { DestinationQueue } from './destination-queue.ts';
import { createResultRecorder, places } from './result-recorder.ts';
import type { QueueKey } from './sending-statements.ts';
import { claim, renew } from './sending.ts';
import { createSlots } from './slots.ts';

export interface SenderOptions {
  /** Another sender takes over the queues of one that has not renewed its lease for this long. */
  leaseMs?: number;
  secretCheckMs?: number;
  /** How many queues it holds at a time whose receivers answer, or have not been tried for long. Those that keep it waiting do not count. */
  maxQueues?: number;
}

/** Due deliveries are found within this time, because notices announce only new ones. */
const pollMs = 1_000;
/** No queue sends while its lease is not renewed. */
const renewRetryMs = 300;
/** Queues that it holds in all, in multiples of `maxQueues`: each has what it reads ahead in memory. */
const withSlowOnes = 4;

/**
 * Sends due deliveries to webhook destinations, each from a queue of its own. Every worker runs one sender; a queue belongs to one
 * sender at a time, and to another when that one dies.
 */
export function startWebhookSender(
  deps: Deps,
  { leaseMs = 6_000, secretCheckMs = 30_000, maxQueues = 500 }: SenderOptions = {},
): { stop(): Promise<void> } {
  const owner = randomUUID();
  const stopping = new AbortController();
  const wakeUp = createWakeUp();
  const open = new Map<string, DestinationQueue>();
  const slots = {
    healthy: createSlots(places.first),
    slow: createSlots(places.slow),
    failing: createSlots(places.failing),
  };
  let leasedUntil = 0;
  const warnOfClaims = createRepeatedWarning('Webhook queues could not be claimed; retrying.');
  const recorder = createResultRecorder(deps, slots.healthy);

  function openQueue(key: QueueKey): void {
    const name = nameOf(key);
    if (open.has(name)) return;
    const isLeased = () => performance.now() < leasedUntil;
    const queue = new DestinationQueue(key, { deps, owner, slots, report: recorder.record, isLeased, secretCheckMs });
    open.set(name, queue);
    void queue.ended.finally(() => {
      open.delete(name);
      // It may have been woken while it was given back.
      wakeUp.signal();
    });
  }

  /** How many more queues it may claim. */
  function room(): number {
    let slow = 0;
    for (const queue of open.values()) if (queue.isStuck) slow += 1;
    return Math.min(maxQueues + slow, withSlowOnes * maxQueues) - open.size;
  }

  async function claimAll(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      const limit = room();
      const askedAt = performance.now();
      try {
        const claimed = limit > 0 ? await claim(deps, { owner, leaseMs, limit }) : [];
        if (claimed.length > 0) leasedUntil = Math.max(leasedUntil, open.size === 0 ? askedAt + leaseMs : 0);
        claimed.forEach(openQueue);
        failures = 0;
        await wakeUp.wait(pollMs);
      } catch (error) {
        failures += 1;
        warnOfClaims(deps.log, error);
        await pause(Math.min(outageRetryMs, 100 * 2 ** failures), stopping.signal);
      }
    }
  }

  const renewing = every({
    everyMs: leaseMs / 3,
    firstMs: leaseMs / 3,
    retryMs: Math.min(leaseMs / 3, renewRetryMs),
    log: deps.log,
    level: 'warn',
    fault: 'The leases of webhook queues could not be renewed; retrying.',
    async work() {
      if (open.size === 0) return;
      const before = [...open];
      const askedAt = performance.now();
      const queues = before.map(([, queue]) => queue.progress);
      const held = new Map((await renew(deps, { owner, leaseMs, queues })).map((each) => [nameOf(each), each.sentTo]));
      leasedUntil = askedAt + leaseMs;
      for (const [place, [name, queue]] of before.entries()) {
        const sentTo = held.get(name);
        if (sentTo === undefined) queue.stop();
        else if (sentTo < (queues[place]?.sentTo ?? 0)) queue.reread();
      }
    },
  });

  // After a lost connection, the server may be another, which lacks the last commits.
  const rereadAll = (): void => {
    for (const queue of open.values()) queue.reread();
    wakeUp.signal();
  };
  const unsubscribe = deps.live.subscribe(queuesChannel, 'sender', {
    onEntry([tenantId, destinationId, changed]) {
      const queue = open.get(nameOf({ tenantId, destinationId }));
      if (queue) queue.wake(changed === 1);
      else wakeUp.signal();
    },
    onResync: rereadAll,
  });
  const claiming = claimAll();

  return {
    async stop() {
      unsubscribe();
      stopping.abort();
      wakeUp.signal();
      await claiming;
      for (const queue of open.values()) queue.stop();
      await Promise.all([...open.values()].map(({ ended }) => ended));
      await renewing.stop();
      await recorder.drain();
    },
  };
}

const nameOf = ({ tenantId, destinationId }: QueueKey): string => `${tenantId}/${destinationId}`;

export const webhookSender: BackgroundLoop = {
  name: 'webhook-sender',
  start: async ({ deps }) => startWebhookSender(deps),
};
