import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface SubscribersPlan {
  readonly port: number;
  /** Path of the graphql-transport-ws endpoint. */
  readonly path: string;
  readonly sockets: number;
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Payload of `connection_init`, for a token and a tenant. */
  readonly connectionParams?: Readonly<Record<string, unknown>>;
}

export interface Deliveries {
  /** `next` messages over all sockets since the last reset. */
  readonly delivered: number;
  readonly fewest: number;
  readonly most: number;
  /** Messages that were errors or whose payload carried them. */
  readonly errors: number;
  /** Epoch milliseconds of the last `next` message. */
  readonly lastAt: number;
  /** One payload, to be compared with another server's. */
  readonly sample: string;
  /** Processor time of the counting process since the last reset, in milliseconds. */
  readonly cpuMs: number;
}

export interface Subscribers {
  /** Waits until every socket has `each` messages since the last reset, or until `limitMs`; then returns the counts. */
  delivered(each: number, limitMs: number): Promise<Deliveries>;
  /** Waits until nothing has arrived for `quietMs` (to skip the initial state, for example), then counts from zero. */
  reset(quietMs: number): Promise<void>;
  stop(): void;
}

export type SubscribersCommand =
  | { readonly kind: 'subscribe'; readonly plan: SubscribersPlan }
  | { readonly kind: 'delivered'; readonly each: number; readonly limitMs: number }
  | { readonly kind: 'reset'; readonly quietMs: number };

const openLimitMs = 60_000;

/**
 * Opens `sockets` connections from a process of its own, each with one subscription. Resolves once all are
 * subscribed: graphql-ws says nothing to confirm one, so an answered ping after it is taken as the sign.
 */
export async function openSubscribers(plan: SubscribersPlan): Promise<Subscribers> {
  const child = fork(fileURLToPath(new URL('./ws-load-process.ts', import.meta.url)), {
    env: {},
    serialization: 'advanced',
  });
  try {
    await ask(child, { kind: 'subscribe', plan }, openLimitMs);
  } catch (error) {
    child.kill();
    throw error;
  }
  return {
    delivered: async (each, limitMs) =>
      (await ask(child, { kind: 'delivered', each, limitMs }, limitMs + 5000)) as Deliveries,
    reset: async (quietMs) => void (await ask(child, { kind: 'reset', quietMs }, quietMs + 30_000)),
    stop: () => void child.kill(),
  };
}

async function ask(child: ChildProcess, command: SubscribersCommand, limitMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      clearTimeout(guard);
      child.off('message', onMessage);
      child.off('exit', onExit);
      finish();
    };
    const onMessage = (answer: unknown): void => settle(() => resolve(answer));
    const onExit = (): void => settle(() => reject(new Error('The subscribers ended; their last words are above.')));
    const guard = setTimeout(
      () => settle(() => reject(new Error(`The subscribers did not answer ${command.kind} in ${limitMs} ms.`))),
      limitMs,
    );
    child.on('message', onMessage);
    child.on('exit', onExit);
    child.send(command);
  });
}
