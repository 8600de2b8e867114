import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Received {
  calls: number;
  /** Number of different events at different paths. */
  distinct: number;
  /** From the first call to the last. */
  ms: number;
  /** Time of the last call, in epoch milliseconds. */
  lastAt: number;
}

export interface WebhookReceiver {
  /** `127.0.0.1:<port>` */
  address: string;
  readonly pid: number;
  /** The calls since the previous report. */
  report(): Promise<Received>;
  stop(): void;
}

/** Starts a receiver beside the bench. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const child = fork(fileURLToPath(new URL('webhook-receiver-process.ts', import.meta.url)));
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    address: `127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    async report() {
      child.send('report');
      const [received] = (await once(child, 'message')) as [Received];
      return received;
    },
    stop: () => child.disconnect(),
  };
}
