import type { Logger } from 'pino';

/** From the start of a process to its end. What is opened is closed in the opposite order, once. */
export interface Lifetime {
  /** Aborts when the end begins. */
  signal: AbortSignal;
  onEnd: (close: () => Promise<void>) => void;
  /** Closes everything; a part that fails is logged and does not keep the others open. */
  end: () => Promise<void>;
}

/** A terminal and npm may both pass on one and the same signal. */
const forwardedMs = 200;

/**
 * Begins a lifetime that ends with the first SIGTERM, SIGINT or loss of the process that started this one; the process then
 * exits with 0. A second signal ends it at once, and so does `limitMs`, whatever hangs: then the process kills itself.
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
    // oxlint-disable-next-line unicorn/no-process-exit -- the end of the process is what is asked for
    process.exit(code);
  };

  const endWithin = (limitMs: number): void => {
    setTimeout(() => {
      log.error(`Draining took longer than ${limitMs} ms.`);
      // An exit joins the thread pool, and so waits for a lookup or a file that never answers.
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
      log.warn({ signal }, 'Ended at once by a second signal.');
      exit(1);
    }
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  const onOrphaned = (): void => {
    if (ending.signal.aborted) return;
    log.warn('The process that started this one is gone; so this one ends.');
    endWithin(options.orphanedMs ?? options.limitMs);
  };
  // A process that has just begun may have lost its parent before anybody listened.
  if (process.send && !process.connected) onOrphaned();
  else process.once('disconnect', onOrphaned);
  return { signal: ending.signal, onEnd: (close) => void opened.push(close), end };
}
