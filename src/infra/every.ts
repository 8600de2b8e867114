import type { Logger } from 'pino';
import { pause } from './pause.ts';

export interface Repeated {
  /** Milliseconds from the end of one time to the start of the next. */
  everyMs: number;
  /** Milliseconds before the first time; 0 where left out. */
  firstMs?: number;
  /** Milliseconds before the next try after a failure, where `everyMs` is too long to wait. */
  retryMs?: number;
  /** Is told by the signal to end early. */
  work: (signal: AbortSignal) => Promise<unknown>;
  log: Logger;
  /** The sentence that is logged when `work` throws. It is tried again in any case. */
  fault: string;
  /** How a failure is logged; `error` where left out. */
  level?: 'warn' | 'error';
}

export interface Repeating {
  /** Resolves once the work under way has ended; none begins after that. */
  stop: () => Promise<void>;
}

/** Repeats `work` until it is stopped, never two at a time. A failure is logged and does not end the loop. */
export function every({ everyMs, firstMs = 0, retryMs = everyMs, work, log, fault, level }: Repeated): Repeating {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loop = async (): Promise<void> => {
    await pause(firstMs, signal);
    while (!signal.aborted) {
      let waitMs = everyMs;
      try {
        await work(signal);
      } catch (error) {
        waitMs = retryMs;
        log[level ?? 'error']({ err: error }, fault);
      }
      await pause(waitMs, signal);
    }
  };
  const running = loop();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
