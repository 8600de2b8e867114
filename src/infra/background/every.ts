import type { Logger } from 'pino';
import { createCountedWarning } from '#src/infra/logs/counted-line.ts';
import { isOutage, outageRetryMs } from '#src/infra/postgres/outages.ts';
import { pause } from '#src/infra/timing/timers.ts';

export interface Repeated {
  /** Milliseconds from the end of one run to the start of the next. */
  everyMs: number;
  /** Milliseconds before the first run; 0 by default. */
  firstMs?: number;
  /** Milliseconds before the next run after a failure; `everyMs` by default, and at most a second after an outage. */
  retryMs?: number;
  /** Must end early when the signal is aborted. */
  work: (signal: AbortSignal) => Promise<unknown>;
  log: Logger;
  /** The message that is logged when `work` throws; it is retried in any case. */
  fault: string;
  /** How a failure is logged; `error` by default. While the database is away, it is a warning. */
  level?: 'warn' | 'error';
}

export interface Repeating {
  /** Resolves once the current run has ended; no further run begins. */
  stop: () => Promise<void>;
}

/** Repeats `work` until it is stopped, never two at a time. A failure is logged and does not end the loop. */
export function every({ everyMs, firstMs = 0, retryMs = everyMs, work, log, fault, level }: Repeated): Repeating {
  const stopping = new AbortController();
  const { signal } = stopping;
  const warnOfOutage = createCountedWarning(fault);
  const loop = async (): Promise<void> => {
    await pause(firstMs, signal);
    while (!signal.aborted) {
      let waitMs = everyMs;
      try {
        await work(signal);
      } catch (error) {
        const isAway = isOutage(error);
        waitMs = isAway ? Math.min(retryMs, outageRetryMs) : retryMs;
        if (isAway) warnOfOutage(log, error);
        else log[level ?? 'error']({ err: error }, fault);
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
