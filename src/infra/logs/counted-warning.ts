import type { Logger } from 'pino';

const everyMs = 1_000;

/**
 * A warning about something that happens to many requests at once: logged at most once a second, with how often it happened since
 * the last time.
 */
export function createCountedWarning(message: string): (log: Pick<Logger, 'warn'>, error: unknown) => void {
  let count = 0;
  let resting: NodeJS.Timeout | undefined;

  function write(log: Pick<Logger, 'warn'>, error: unknown): void {
    log.warn({ reason: error instanceof Error ? error.message : String(error), count }, message);
    count = 0;
    resting = setTimeout(() => {
      resting = undefined;
      if (count > 0) write(log, error);
    }, everyMs);
    resting.unref();
  }

  return (log, error) => {
    count += 1;
    if (!resting) write(log, error);
  };
}
