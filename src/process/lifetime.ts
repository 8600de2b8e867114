import type { Logger } from 'pino';

/** The shutdown of a process: closes what was opened, once, in reverse order. */
export interface Lifetime {
  /** Aborts when the shutdown begins. */
  signal: AbortSignal;
  onEnd: (close: () => Promise<void>) => void;
  /** Closes everything. A part that fails to close is logged, and the others are still closed. */
  end: () => Promise<void>;
}

/** Requests and runs in flight get this long when a process is asked to stop. */
export const drainMs = 30_000;

/**
 * After this long a process that was asked to stop ends itself, whatever is in flight. An API closes its requests, then its sockets, and
 * may have a worker of its own to wait for; what stops processes from outside must wait longer (test/deploy/drain.test.ts).
 */
export const longestDrainMs = { api: 2 * drainMs + 30_000, worker: drainMs };

/** A terminal and npm may both forward the same signal. */
const forwardedMs = 200;

/**
 * Shuts down at the first SIGTERM, SIGINT or loss of the parent process, and then exits with 0. A second signal exits immediately. After
 * `limitMs` the process exits with 1, and kills itself if something keeps it from exiting.
 */
export function beginLifetime(options: { limitMs: number; orphanedMs?: number; log: Logger }): Lifetime {
  const { log } = options;
  const ending = new AbortController();
  const opened: (() => Promise<void>)[] = [];
  let ended: Promise<void> | undefined;

  const closeOne = (close: () => Promise<void>): Promise<void> =>
    close().catch((error: unknown) => log.error({ err: error }, 'A part of the process did not close.'));
  const closeAll = async (): Promise<void> => {
    ending.abort();
    for (let close = opened.pop(); close !== undefined; close = opened.pop()) await closeOne(close);
  };
  const end = (): Promise<void> => (ended ??= closeAll());
  const exit = (code: number): void => {
    // oxlint-disable-next-line unicorn/no-process-exit -- exiting is the purpose of this function
    process.exit(code);
  };

  const endWithin = (limitMs: number): void => {
    setTimeout(() => {
      log.error(`Draining took longer than ${limitMs} ms.`);
      // An exit joins the thread pool, so it would wait for a DNS lookup or a file that never answers.
      process.once('exit', () => process.kill(process.pid, 'SIGKILL'));
      exit(1);
    }, limitMs).unref();
    void end().then(() => exit(0));
  };
  let askedAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (askedAt === undefined) {
      askedAt = performance.now();
      log.info({ signal }, 'Draining.');
      endWithin(options.limitMs);
    } else if (performance.now() - askedAt > forwardedMs) {
      log.warn({ signal }, 'A second signal ends the process at once.');
      exit(1);
    }
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  const onOrphaned = (): void => {
    if (ending.signal.aborted) return;
    log.warn('The parent process is gone; draining.');
    endWithin(options.orphanedMs ?? options.limitMs);
  };
  // The parent may have ended before this listener was added.
  if (process.send && !process.connected) onOrphaned();
  else process.once('disconnect', onOrphaned);
  return { signal: ending.signal, onEnd: (close) => void opened.push(close), end };
}
