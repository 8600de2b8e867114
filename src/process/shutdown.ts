import type { Logger } from 'pino';

/** A terminal and npm may both pass on one and the same signal. */
const forwardedMs = 200;

/**
 * Runs `stop` at the first SIGTERM or SIGINT and exits 0, or 1 when it fails. A second signal ends the process at once; so
 * does `limitMs`.
 */
export function stopOnSignal(options: { stop: () => Promise<void>; limitMs: number; log: Logger }): void {
  let askedAt: number | undefined;
  const exit = (code: number): void => {
    // oxlint-disable-next-line unicorn/no-process-exit -- the end of the process is what a signal asks for
    process.exit(code);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (askedAt !== undefined) {
      if (performance.now() - askedAt > forwardedMs) {
        options.log.warn({ signal }, 'Ended at once by a second signal.');
        exit(1);
      }
      return;
    }
    askedAt = performance.now();
    options.log.info({ signal }, 'Draining.');
    setTimeout(() => {
      options.log.error(`Draining took longer than ${options.limitMs} ms.`);
      exit(1);
    }, options.limitMs).unref();
    options.stop().then(
      () => exit(0),
      (error: unknown) => {
        options.log.error({ err: error }, 'Draining failed.');
        exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
