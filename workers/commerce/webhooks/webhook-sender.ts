import { randomUUID } from 'node:crypto';
import { queuesChannel } from '#src/commerce/webhooks/queue-notices.service.ts';
import type { BackgroundLoop } from '#src/infra/background/background-loops.ts';
import { every, type Repeating } from '#src/infra/background/every.ts';
import type { Deps } from '#src/infra/deps.ts';
import { createRepeatedWarning } from '#src/infra/logs/repeated-warning.ts';
import { outageRetryMs } from '#src/infra/postgres/outages.ts';
import { pause } from '#src/infra/timing/timers.ts';
import { createWakeUp } from '#src/infra/timing/wake-up.ts';
import { DestinationQueue } from './destination-queue.ts';
import { createResultRecorder, attemptSlots, type ResultRecorder } from './result-recorder.ts';
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
export class WebhookSender {
  readonly #deps: Deps;
  readonly #options: Required<SenderOptions>;
  readonly #owner = randomUUID();
  readonly #stopping = new AbortController();
  readonly #wakeUp = createWakeUp();
  /** The queues that this sender holds, by name. */
  readonly #queues = new Map<string, DestinationQueue>();
  readonly #slots = {
    healthy: createSlots(attemptSlots.initial),
    slow: createSlots(attemptSlots.slow),
    failing: createSlots(attemptSlots.failing),
  };
  readonly #recorder: ResultRecorder;
  readonly #warnOfClaims = createRepeatedWarning('Webhook queues could not be claimed; retrying.');
  /** When the leases of the queues end, by this process's clock. */
  #leasedUntil = 0;
  readonly #unsubscribe: () => void;
  readonly #claiming: Promise<void>;
  readonly #renewing: Repeating;

  /** Starts to send. */
  constructor(deps: Deps, { leaseMs = 6_000, secretCheckMs = 30_000, maxQueues = 500 }: SenderOptions = {}) {
    this.#deps = deps;
    this.#options = { leaseMs, secretCheckMs, maxQueues };
    this.#recorder = createResultRecorder(deps, this.#slots.healthy);
    this.#renewing = every({
      everyMs: leaseMs / 3,
      firstMs: leaseMs / 3,
      retryMs: Math.min(leaseMs / 3, renewRetryMs),
      log: deps.log,
      level: 'warn',
      fault: 'The leases of webhook queues could not be renewed; retrying.',
      work: () => this.#renewLeases(),
    });
    this.#unsubscribe = deps.live.subscribe(queuesChannel, 'sender', {
      onEntry: ([tenantId, destinationId, changed]) => {
        const queue = this.#queues.get(queueName({ tenantId, destinationId }));
        if (queue) queue.wake(changed === 1);
        else this.#wakeUp.signal();
      },
      onResync: () => this.#rereadAll(),
    });
    this.#claiming = this.#claimLoop();
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#stopping.abort();
    this.#wakeUp.signal();
    await this.#claiming;
    const queues = [...this.#queues.values()];
    for (const queue of queues) queue.stop();
    await Promise.all(queues.map(({ ended }) => ended));
    await this.#renewing.stop();
    await this.#recorder.drain();
  }

  async #claimLoop(): Promise<void> {
    const { leaseMs } = this.#options;
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      const limit = this.#room();
      const askedAt = performance.now();
      try {
        const claimed = limit > 0 ? await claim(this.#deps, { owner: this.#owner, leaseMs, limit }) : [];
        if (claimed.length > 0 && this.#queues.size === 0)
          this.#leasedUntil = Math.max(this.#leasedUntil, askedAt + leaseMs);
        for (const key of claimed) this.#open(key);
        failures = 0;
        await this.#wakeUp.wait(pollMs);
      } catch (error) {
        failures += 1;
        this.#warnOfClaims(this.#deps.log, error);
        await pause(Math.min(outageRetryMs, 100 * 2 ** failures), this.#stopping.signal);
      }
    }
  }

  /** How many more queues it may claim. */
  #room(): number {
    const { maxQueues } = this.#options;
    let stuck = 0;
    for (const queue of this.#queues.values()) if (queue.isStuck) stuck += 1;
    return Math.min(maxQueues + stuck, withSlowOnes * maxQueues) - this.#queues.size;
  }

  #open(key: QueueKey): void {
    const name = queueName(key);
    if (this.#queues.has(name)) return;
    const queue = new DestinationQueue(key, {
      deps: this.#deps,
      owner: this.#owner,
      slots: this.#slots,
      report: this.#recorder.record,
      isLeased: () => performance.now() < this.#leasedUntil,
      secretCheckMs: this.#options.secretCheckMs,
    });
    this.#queues.set(name, queue);
    void queue.ended.finally(() => {
      this.#queues.delete(name);
      // It may have been woken while it was given back.
      this.#wakeUp.signal();
    });
  }

  async #renewLeases(): Promise<void> {
    if (this.#queues.size === 0) return;
    const { leaseMs } = this.#options;
    const before = [...this.#queues.values()].map((queue) => ({ queue, progress: queue.progress }));
    const askedAt = performance.now();
    const queues = before.map(({ progress }) => progress);
    const renewed = await renew(this.#deps, { owner: this.#owner, leaseMs, queues });
    const held = new Map(renewed.map((each) => [queueName(each), each.sentTo]));
    this.#leasedUntil = askedAt + leaseMs;
    for (const { queue, progress } of before) {
      const sentTo = held.get(queueName(queue.key));
      if (sentTo === undefined) queue.stop();
      else if (sentTo < (progress.sentTo ?? 0)) queue.reread();
    }
  }

  /** After a lost connection, the server may be another, which lacks the last commits. */
  #rereadAll(): void {
    for (const queue of this.#queues.values()) queue.reread();
    this.#wakeUp.signal();
  }
}

const queueName = ({ tenantId, destinationId }: QueueKey): string => `${tenantId}/${destinationId}`;

export const webhookSender: BackgroundLoop = {
  name: 'webhook-sender',
  start: async ({ deps }) => new WebhookSender(deps),
};
